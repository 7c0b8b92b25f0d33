import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { overview } from "@/testing/samples";
import { CommandPalette } from "./command-palette";

const target = (kind: string, id: string, name: string) => ({
  kind,
  id,
  name,
  detail: null,
  state: "working",
  needs_you: false,
});
const QUIET = {
  overview: overview({ missions: [{ id: "m_1", name: "Ledger", status: "in_progress" }] as never }),
  queue_list: { items: [], total: 0 },
  run_list: { runs: [] },
  overview_find: { targets: [] },
};

beforeEach(() => localStorage.clear());

function open(tools: object = {}) {
  const shown = renderPage(<CommandPalette />, { ...QUIET, ...tools });
  fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  return shown;
}

const field = () => screen.getByRole("combobox", { name: "Jump to or do" });
const type = (value: string) => fireEvent.change(field(), { target: { value } });
const press = (key: string) => fireEvent.keyDown(field(), { key });
const names = () => screen.getAllByRole("option").map((option) => option.textContent);
const selected = () => screen.getByRole("option", { selected: true });

test("Ctrl+K opens it with the focus in its field, and closes it", () => {
  open();
  expect(document.activeElement).toBe(field());

  fireEvent.keyDown(document.body, { key: "k", metaKey: true });
  expect(screen.queryByRole("combobox")).toBeNull();
});

test("results come while typing, arrow keys select one, and Enter opens it", async () => {
  const { address } = open({
    overview_find: { targets: [target("task", "t_1", "Zebra one"), target("task", "t_2", "Zebra two")] },
  });
  type("zeb");
  await screen.findByRole("option", { name: /Zebra two/ });
  expect(field().getAttribute("aria-activedescendant")).toBe(selected().id);
  press("ArrowDown");
  expect(selected().textContent).toContain("Zebra two");
  press("Enter");

  expect(address()).toBe("/tasks/t_2");
  expect(screen.queryByRole("combobox")).toBeNull();
});

test("an answer to an earlier text is dropped if it does not fit the new one", async () => {
  open({
    overview_find: ({ query }: { query: string }) => ({
      targets: query === "zeb" ? [target("task", "t_1", "Zebra")] : [target("task", "t_9", "Yak")],
    }),
  });
  type("zeb");
  await screen.findByRole("option", { name: /Zebra/ });
  type("ya");

  expect(screen.queryByRole("option", { name: /Zebra/ })).toBeNull();
  await screen.findByRole("option", { name: /Yak/ });
});

test("an empty palette shows the top question first, then what was opened last", async () => {
  const tools = {
    queue_list: { items: [{ id: "q_1", kind: "question", subject: "Reverse or post new?" }], total: 1 },
    overview_find: { targets: [target("agent", "a_1", "zoe")] },
  };
  const { address } = open(tools);
  type("zoe");
  await screen.findByRole("option", { name: /zoe/ });
  press("Enter");
  expect(address()).toBe("/agents?agent=a_1");

  fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  await screen.findByText("Reverse or post new?");
  expect(names().slice(0, 2)).toEqual(["Answer · Reverse or post new?action", "zoeagent"]);
  press("Enter");
  expect(address()).toBe("/inbox?item=q_1");
});

test("actions pause a mission and open forms", async () => {
  const { called } = open({ workflow_update_status: {} });
  type("pause led");
  await screen.findByRole("option", { name: /Pause mission · Ledger/ });
  press("Enter");
  await waitFor(() => expect(called("workflow_update_status")).toEqual([{ id: "m_1", status: "paused" }]));

  fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  type("new mi");
  press("Enter");
  expect(screen.getByRole("dialog", { name: "New mission" })).toBeTruthy();
});

test("a finished run can be landed unless it has landed", async () => {
  const run = (id: string, landed: boolean) => ({ run_id: id, mission_name: id, state: "finished", landed });
  open({
    run_list: ({ state }: { state: string[] }) => ({
      runs: state.includes("finished") ? [run("run_1", false), run("run_2", true)] : [],
    }),
  });
  type("land");

  await screen.findByRole("option", { name: /Land run… · run_1/ });
  expect(screen.queryByRole("option", { name: /run_2/ })).toBeNull();
});

test("nothing found says so", async () => {
  open();
  type("qqqq");

  expect(await screen.findByText("No matches. Try fewer letters.")).toBeTruthy();
});
