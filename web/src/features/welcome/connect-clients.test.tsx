import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { ConnectClients } from "./connect-clients";

const client = (name: string, more: object = {}) => ({
  name,
  title: name,
  path: `/bin/${name}`,
  version: "1.0",
  connected: false,
  hooks: false,
  file: `/home/you/.${name}`,
  problem: null,
  ...more,
});
const PREVIEW = {
  client: "codex",
  files: [{ path: "/home/you/.codex", change: "edited", diff: "--- a\n+++ b\n@@ -1 +1,2 @@\n same\n+new line" }],
  digest: "d1",
};

test("installed clients are listed, one that is connected or broken says so, and missing ones are named", async () => {
  renderPage(<ConnectClients />, {
    client_list: {
      clients: [
        client("codex", { connected: true }),
        client("gemini", { problem: "settings.json, line 2: broken" }),
        client("cursor", { path: null, version: null }),
      ],
    },
  });

  const rows = (await screen.findAllByRole("listitem")).map((row) => row.textContent);
  expect(rows[0]).toContain("Connected");
  expect(rows[1]).toContain("settings.json, line 2: broken");
  expect(screen.getByText("Not installed: cursor.")).toBeTruthy();
});

test("the difference is shown before anything is written, and exactly that is connected", async () => {
  const { called } = renderPage(<ConnectClients />, {
    client_list: { clients: [client("codex")] },
    client_preview: PREVIEW,
    client_connect: { client: "codex", files: ["/home/you/.codex"], tools: ["a", "b"], next_step: null },
  });
  fireEvent.click(await screen.findByRole("button", { name: "Connect…" }));
  await screen.findByText("new line");
  expect(called("client_connect")).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Write this and connect" }));

  expect((await screen.findByRole("status")).textContent).toContain("listed 2 tools");
  expect(called("client_connect")).toEqual([{ client: "codex", digest: "d1" }]);
});

test("a refusal is shown, and the preview is read again", async () => {
  const { called } = renderPage(<ConnectClients />, {
    client_list: { clients: [client("codex")] },
    client_preview: PREVIEW,
    client_connect: new Error("Could not write /home/you/.codex: Permission denied"),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Connect…" }));
  await screen.findByText("new line");
  fireEvent.click(screen.getByRole("button", { name: "Write this and connect" }));

  expect((await screen.findByRole("alert")).textContent).toContain("Permission denied");
  await waitFor(() => expect(called("client_preview").length).toBe(2));
});
