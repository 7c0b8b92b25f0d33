import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { run } from "@/testing/samples";
import { EditRunButton } from "./edit-run";

const shown = run({
  agents: [
    { client: "claude-code", count: 3, arguments: ["--model", "opus"] },
    { client: "codex", count: 1 },
  ],
  options: { review: "risk", max_parallel: 4, attempts: 3, revisions: 3, land: false, squash: false },
  budget: { usd: 20, tokens: null, minutes: null, launches: null, per_task: {} },
  target: "main",
});

test("options are changed in one call, and agents keep their arguments", async () => {
  const { called } = renderPage(<EditRunButton run={shown} />, { run_update: shown });
  fireEvent.click(screen.getByRole("button", { name: "Options…" }));

  fireEvent.change(screen.getByLabelText("codex"), { target: { value: "0" } });
  fireEvent.change(screen.getByLabelText("claude-code"), { target: { value: "5" } });
  fireEvent.change(screen.getByLabelText("US dollars"), { target: { value: "40" } });
  fireEvent.change(screen.getByLabelText("Failed results"), { target: { value: "5" } });
  fireEvent.click(screen.getByLabelText(/Land automatically/));
  fireEvent.click(screen.getByRole("button", { name: "Save" }));

  await expect
    .poll(() => called("run_update"))
    .toEqual([
      {
        run_id: shown.run_id,
        agents: [{ client: "claude-code", count: 5, arguments: ["--model", "opus"] }],
        max_parallel: 4,
        attempts: 3,
        revisions: 5,
        review: "risk",
        land: true,
        squash: false,
        budget: { usd: 40 },
      },
    ]);
});

test("a run that has ended cannot be changed", () => {
  renderPage(<EditRunButton run={run({ state: "finished" })} />);

  expect(screen.queryByRole("button", { name: "Options…" })).toBeNull();
});
