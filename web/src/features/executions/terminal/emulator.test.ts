import { expect, test } from "vitest";

import { webAddress } from "./emulator";

test("a link in a terminal opens only web addresses, in normalized form", () => {
  const links = [
    "https://example.org/a b",
    "HTTP://EXAMPLE.ORG",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "/missions",
  ];

  expect(links.map(webAddress)).toEqual(["https://example.org/a%20b", "http://example.org/", null, null, null, null]);
});
