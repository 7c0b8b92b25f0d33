import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import type { ListAgents } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { agent, fleetAgent, overview } from "@/testing/samples";
import { AgentsPage } from "./agents-page";

const GUS = agent({ id: "a_7", name: "gus", status: "offline" });
const HAL = agent({ id: "a_8", name: "hal", status: "offline" });

const TOOLS = {
  overview: overview({
    fleet: [fleetAgent({ state: "at_work" }), fleetAgent({ id: "a_2", name: "bob", state: "lost" })],
  }),
  overview_spending: { agents: [] },
  execution_list: { executions: [] },
  agent_get: ({ id }: { id: string }) => agent({ id, name: id === "a_2" ? "bob" : "eve", status: "offline" }),
  agent_list: ({ status, cursor }: ListAgents) => {
    if (status?.includes("online")) return { agents: [agent()], next_cursor: null };
    return cursor == null ? { agents: [GUS], next_cursor: "after gus" } : { agents: [HAL], next_cursor: null };
  },
};
const names = () => [...document.querySelectorAll(".agent-name")].map((link) => link.textContent);

test("agents are grouped by what they do, and each shows its state", async () => {
  const fleet = [
    fleetAgent({ state: "at_work" }),
    fleetAgent({ id: "a_2", name: "bob", state: "lost" }),
    fleetAgent({ id: "a_7", name: "gus", state: "waits" }),
  ];
  const agent_get = ({ id }: { id: string }) => agent({ id, name: id === "a_2" ? "bob" : "gus" });
  renderPage(<AgentsPage />, { ...TOOLS, overview: overview({ fleet }), agent_get });
  await screen.findByText("Lost");

  const groups = [...document.querySelectorAll(".agent-group")].map((group) => [
    group.querySelector("h2")!.textContent,
    group.querySelector(".agent-name")!.textContent,
    group.querySelector(".agent-status")!.textContent?.trim(),
  ]);
  expect(groups).toEqual([
    ["Needs you 1", "gus", "Waits for you"],
    ["At work 1", "ada", "At work"],
    ["Gone 1", "bob", "Lost"],
  ]);
});

test("only present and recent agents are loaded at first", async () => {
  const { called } = renderPage(<AgentsPage />, TOOLS);
  await screen.findByRole("link", { name: "bob" });

  expect(names()).toEqual(["ada", "bob"]);
  expect(called("agent_list").map(({ status }) => status)).toEqual([["online", "busy"]]);
  expect(called("agent_get")).toEqual([{ id: "a_2" }]);
});

test("offline agents load page by page on demand", async () => {
  const { called } = renderPage(<AgentsPage />, TOOLS);
  fireEvent.click(await screen.findByRole("button", { name: "All" }));
  await screen.findByRole("link", { name: "gus" });
  expect(names()).toEqual(["ada", "bob", "gus"]);
  fireEvent.click(screen.getByRole("button", { name: "Show older" }));
  await screen.findByRole("link", { name: "hal" });

  expect(screen.queryByRole("button", { name: "Show older" })).toBeNull();
  const pages = called("agent_list").filter(({ status }) => (status as string[]).includes("offline"));
  expect(pages.map(({ cursor }) => cursor)).toEqual([null, "after gus"]);
});

test("an offline agent named in the address is shown with its details", async () => {
  renderPage(<AgentsPage />, TOOLS, "/agents?agent=a_9");

  const link = await screen.findByRole("link", { name: "eve" });
  expect(link.getAttribute("aria-expanded")).toBe("true");
  expect(screen.getByRole("link", { name: "Show calls" }).getAttribute("href")).toBe("/audit?agent=a_9");
});
