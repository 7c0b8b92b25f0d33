import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { StartRunButton } from "./start-run";

const client = (name: string, title: string, installed = true) => ({ name, title, installed, version: null });
const CLIENTS = {
  adapters: [
    client("codex", "Codex"),
    client("claude-code", "Claude Code"),
    client("pi", "Pi", false),
    client("command", "Any program"),
  ],
};

function open(tools: object) {
  const shown = renderPage(<StartRunButton missionId="m_1" name="Tidy up" />, { adapter_list: CLIENTS, ...tools });
  fireEvent.click(screen.getByRole("button", { name: "Run…" }));
  return shown;
}

const write = (name: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(name), { target: { value } });

test("a run is started with counts of installed clients, review, budget and landing", async () => {
  const { called, address } = open({ run_start: { run_id: "run_7" } });
  await screen.findByLabelText("Codex");
  expect(screen.queryByLabelText("Pi")).toBeNull();
  write("Claude Code", "3");
  write("Codex", "0");
  write("Any program", "1");
  write("Program and arguments", "./agent.sh --fast 'a b'");
  write("Who reviews results", "person");
  write("US dollars", "12.5");
  fireEvent.click(screen.getByRole("checkbox", { name: /Land automatically/ }));
  fireEvent.click(screen.getByRole("button", { name: "Start run" }));

  await waitFor(() => expect(address()).toBe("/runs/run_7"));
  expect(called("run_start")).toEqual([
    {
      mission_id: "m_1",
      agents: [
        { client: "claude-code", count: 3 },
        { client: "command", count: 1, command: ["./agent.sh", "--fast", "a b"] },
      ],
      review: "person",
      land: true,
      budget: { usd: 12.5 },
    },
  ]);
});

test("the run is opened even if its event removes the dialog before the answer", async () => {
  let remove = () => {};
  function Page() {
    const [isThere, setThere] = useState(true);
    remove = () => setThere(false);
    return isThere && <StartRunButton missionId="m_1" name="Tidy up" />;
  }
  const run_start = () => {
    act(remove);
    return { run_id: "run_8" };
  };
  const { address } = renderPage(<Page />, { adapter_list: CLIENTS, run_start });
  fireEvent.click(screen.getByRole("button", { name: "Run…" }));
  await screen.findByLabelText("Codex");
  fireEvent.click(screen.getByRole("button", { name: "Start run" }));

  await waitFor(() => expect(address()).toBe("/runs/run_8"));
});

test("the server decides what is valid, and its refusal is shown", async () => {
  const { called, address } = open({ run_start: new Error("agents: a run needs at least one agent") });
  await screen.findByLabelText("Codex");
  write("Codex", "0");
  fireEvent.click(screen.getByRole("button", { name: "Start run" }));

  expect((await screen.findByRole("alert")).textContent).toContain("a run needs at least one agent");
  expect(called("run_start")).toEqual([{ mission_id: "m_1", review: "risk", land: false }]);
  expect(address()).toBe("/");
});
