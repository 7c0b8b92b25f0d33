import { expect, test } from "vitest";

import { lastVisitOf } from "./last-visit";

const NOW = Date.parse("2026-01-15T10:00:00Z");
const MINUTE = 60_000;
const ago = (minutes: number) => NOW - minutes * MINUTE;
const iso = (time: number) => new Date(time).toISOString();

test("after a long break you left when you were last seen", () => {
  expect(lastVisitOf(ago(38), ago(600), NOW)).toEqual({ left: iso(ago(38)), known: true });
});

test("a reload or a short break keeps the time at which you left before", () => {
  expect(lastVisitOf(ago(2), ago(600), NOW)).toEqual({ left: iso(ago(600)), known: true });
});

test("on a first visit the last twelve hours are shown", () => {
  expect(lastVisitOf(null, null, NOW)).toEqual({ left: iso(ago(720)), known: false });
  expect(lastVisitOf(ago(2), null, NOW)).toEqual({ left: iso(ago(720)), known: false });
});

test("a visit longer ago than a week starts a week ago", () => {
  expect(lastVisitOf(ago(60 * 24 * 30), null, NOW)).toEqual({ left: iso(ago(60 * 24 * 7)), known: false });
});
