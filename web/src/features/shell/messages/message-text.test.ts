import { expect, test } from "vitest";

import { messageText } from "./message-text";

test("an object shows its text, or all of it as JSON", () => {
  expect(messageText({ body: { text: "Hello" } })).toBe("Hello");
  expect(messageText({ body: { a: 1 } })).toContain('"a": 1');
});
