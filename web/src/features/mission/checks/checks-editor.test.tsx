import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import type { CheckRecord, ChecksOfScope } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { ChecksEditor } from "./checks-editor";

const record = (more: Partial<CheckRecord> = {}): CheckRecord => ({
  name: "tests",
  kind: "run",
  origin: "mission",
  definition: { name: "tests", run: "make test", retries: 1 },
  required: true,
  approval: "approved",
  path: "/usr/bin",
  agent_id: null,
  created_at: "2026-01-15T10:00:00Z",
  ...more,
});
const found = (...checks: CheckRecord[]): ChecksOfScope => ({
  scope: "mission",
  id: "m_1",
  checks,
  final_checks: [],
  uses_repository: false,
});

function show(data: ChecksOfScope, tools = {}) {
  return renderPage(
    <ChecksEditor of={{ scope: "mission", id: "m_1" }} title="Checks" note="" repositoryPath="/repo" />,
    { checks_list: data, checks_set: data, ...tools },
  );
}

test("a check is added and saved with the others as they were", async () => {
  const { called } = show(found(record()));
  fireEvent.click(await screen.findByRole("button", { name: "Add check" }));
  fireEvent.change(screen.getAllByLabelText("Command")[1]!, { target: { value: "ruff check" } });
  fireEvent.click(screen.getByRole("button", { name: "Save checks" }));

  const checks = [{ name: "tests", run: "make test", retries: 1 }, { run: "ruff check" }];
  await waitFor(() =>
    expect(called("checks_set")).toEqual([{ scope: "mission", id: "m_1", checks, path: "/usr/bin" }]),
  );
});

test("a check is removed, and the checks of the repository can be used as well", async () => {
  const { called } = show(found(record()));
  fireEvent.click(await screen.findByRole("button", { name: "Remove tests" }));
  fireEvent.click(screen.getByRole("checkbox", { name: /repository's checks/ }));
  fireEvent.click(screen.getByRole("button", { name: "Save checks" }));

  await waitFor(() => expect(called("checks_set").map(({ checks }) => checks)).toEqual([[], "repository"]));
});

test("final checks are edited on their own and leave the mission's checks alone", async () => {
  const { called } = renderPage(
    <ChecksEditor
      of={{ scope: "mission", id: "m_1" }}
      list="final_checks"
      title="Final"
      note=""
      repositoryPath={null}
    />,
    { checks_list: { ...found(record()), uses_repository: true }, checks_set: found(record()) },
  );
  fireEvent.click(await screen.findByRole("button", { name: "Add check" }));
  expect(screen.queryByText("make test")).toBeNull();
  fireEvent.change(screen.getByLabelText("Command"), { target: { value: "make e2e" } });
  fireEvent.click(screen.getByRole("button", { name: "Save checks" }));

  await waitFor(() =>
    expect(called("checks_set")).toEqual([{ scope: "mission", id: "m_1", final_checks: [{ run: "make e2e" }] }]),
  );
});

test("checks from elsewhere name their origin and cannot be edited", async () => {
  show(found(record({ origin: "repository", definition: { name: "tests", changed: ["docs/**"] }, kind: "changed" })));

  expect(await screen.findByText("Repository")).toBeTruthy();
  expect(screen.getByText("changed docs/**")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Remove/ })).toBeNull();
});

test("suggestions are listed at once, then with what they do today, and can be added", async () => {
  const suggestion = {
    name: "test",
    run: "make test",
    why: "Makefile",
    definition: { name: "test", run: "make test" },
  };
  show(found(), {
    checks_suggest: ({ run }: { run: boolean }) => ({
      repository_path: "/repo",
      checks: [{ ...suggestion, state: run ? "passed" : null, seconds: run ? 1.2 : null, output: null }],
    }),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Suggest checks" }));
  expect(await screen.findByText("Makefile · passes today in 1.2 s")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Add" }));

  expect((screen.getByLabelText("Command") as HTMLTextAreaElement).value).toBe("make test");
  expect(screen.getByRole("button", { name: "Added" })).toBeTruthy();
});
