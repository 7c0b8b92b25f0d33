import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { Markdown, parseBlocks } from "./markdown";

test("headings, lists, tables, code and paragraphs are told apart", () => {
  const text = "# One\ntwo\nlines\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 \\| 3 |\n\n```\n# no heading\n```\nlast";

  expect(parseBlocks(text)).toEqual([
    { kind: "heading", level: 1, text: "One" },
    { kind: "text", text: "two lines" },
    { kind: "list", items: ["a", "b"] },
    {
      kind: "table",
      rows: [
        ["x", "y"],
        ["1", "2 \\| 3"],
      ],
    },
    { kind: "code", text: "# no heading" },
    { kind: "text", text: "last" },
  ]);
});

test("any text ends, and tags in it stay text", () => {
  for (const odd of ["```", "|", "# ", "-", "* ", "1. ", "\n\n", "  - x", "#none", "> quote"]) parseBlocks(odd);
  renderPage(<Markdown text={"Use `make` and **now** <img src=x onerror=alert(1)>"} />);

  expect(screen.getByText("make").tagName).toBe("CODE");
  expect(screen.getByText("now").tagName).toBe("STRONG");
  expect(screen.getByText(/<img src=x/)).toBeTruthy();
});
