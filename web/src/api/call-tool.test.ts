import { expect, test } from "vitest";

import { ApiError, reasonOf } from "./call-tool";

test("a message and its hint read as two sentences", () => {
  expect(reasonOf(new ApiError(404, "RESOURCE_NOT_FOUND", "there is no mission m_1", "'mission missions' lists them."))).toBe(
    "there is no mission m_1. 'mission missions' lists them.",
  );
  expect(reasonOf(new ApiError(0, "NOT_CONNECTED", "It does not answer.", "Try again."))).toBe("It does not answer. Try again.");
  expect(reasonOf(new Error("x"))).toBe("x");
});
