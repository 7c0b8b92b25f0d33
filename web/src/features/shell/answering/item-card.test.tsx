import { fireEvent, screen } from "@testing-library/react";
import { createRef } from "react";
import { afterEach, expect, test, vi } from "vitest";

import type { ItemRow } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { agent, item } from "@/testing/samples";
import { BLANK, type Draft } from "./answer-draft";
import { ItemCard } from "./item-card";
import { type OutgoingAnswer, outbox } from "./outbox";

afterEach(() => outbox.drop("q_1"));

const CHOICES = [
  { kind: "fixed", label: "Keep them", value: "keep" },
  { kind: "manual", label: "Something else" },
];

function show(shown: ItemRow, props: { chosen?: boolean; draft?: Draft; outgoing?: OutgoingAnswer } = {}, tools = {}) {
  const [change, choose] = [vi.fn(), vi.fn()];
  const { chosen = true, draft = BLANK, outgoing } = props;
  const field = createRef<HTMLTextAreaElement>();
  const page = renderPage(
    <ItemCard item={shown} field={field} {...{ chosen, draft, outgoing, change, choose }} />,
    tools,
  );
  return { ...page, change, choose };
}

test("a choice is selected first, and only then can the answer be sent", () => {
  const { change } = show(item({ choices: CHOICES }));

  expect(screen.getByRole("button", { name: /Send answer/ }).hasAttribute("disabled")).toBe(true);
  fireEvent.click(screen.getByRole("radio", { name: /Keep them/ }));
  expect(change).toHaveBeenCalledWith({ choice: 1, text: "" });
});

test("a selected choice goes to the outbox", () => {
  const put = vi.spyOn(outbox, "put");
  const shown = item({ choices: CHOICES });
  show(shown, { draft: { choice: 1, text: "" } });
  fireEvent.click(screen.getByRole("button", { name: /Send answer/ }));

  expect(put).toHaveBeenCalledWith(shown, { kind: "answer", args: { id: "q_1", choice: 1 } }, "Keep them");
});

test("a quick action on another card answers it without selecting it", () => {
  const put = vi.spyOn(outbox, "put");
  const { choose } = show(item({ kind: "blocker", holds_tasks: 2, critical: true }), { chosen: false });
  expect(screen.getByText(/blocks 2 tasks/).textContent).toContain("critical path");
  fireEvent.click(screen.getByRole("button", { name: "Resolve" }));
  expect([put.mock.calls.length, choose.mock.calls.length]).toEqual([1, 0]);

  fireEvent.click(screen.getByRole("button", { name: "Answer" }));
  expect(choose).toHaveBeenCalled();
});

test("an outgoing answer replaces the form and can be undone", () => {
  const shown = item({ choices: CHOICES });
  outbox.put(shown, { kind: "answer", args: { id: "q_1", choice: 1 } }, "Keep them");
  show(shown, { outgoing: outbox.all()[0]! });

  expect(screen.queryByRole("radio")).toBeNull();
  expect(screen.getByText("Keep them")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(outbox.all()).toEqual([]);
});

test("a failed task can be given to any present agent or an installed client", async () => {
  const pages: Record<string, unknown> = {
    first: { agents: [agent({ id: "a_1", name: "ada" })], next_cursor: "more" },
    more: { agents: [agent({ id: "a_2", name: "bob", current_task_id: "t_9" })], next_cursor: null },
  };
  const { called } = show(
    item({ kind: "failure", choices: [{ kind: "manual", label: "Give to another" }] }),
    {},
    {
      agent_list: ({ cursor }: { cursor?: string }) => pages[cursor ?? "first"],
      adapter_list: {
        adapters: [
          { name: "codex", title: "Codex", installed: true },
          { name: "claude-code", title: "Claude Code", installed: false },
          { name: "command", title: "Any program", installed: true },
        ],
      },
    },
  );

  await screen.findByRole("option", { name: "bob (has a task)" });
  await screen.findByRole("option", { name: "Codex" });
  const options = screen.getAllByRole("option").map((option) => option.textContent);
  expect(options).toEqual(["Give to another…", "ada", "bob (has a task)", "Codex"]);
  expect(called("agent_list")[0]).toEqual({ status: ["online", "busy"] });
});
