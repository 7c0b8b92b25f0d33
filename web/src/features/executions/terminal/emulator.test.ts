import { expect, test } from "vitest";

import { webAddress } from "./emulator";

test("a link of a terminal leads into the web or nowhere, and is told as the browser reads it", () => {
  const told = ["https://example.org/a b", "HTTP://EXAMPLE.ORG", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "/missions"];

  expect(told.map(webAddress)).toEqual(["https://example.org/a%20b", "http://example.org/", null, null, null, null]);
});
