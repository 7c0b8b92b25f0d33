import { expect, test } from "vitest";

import { ApiError, reasonOf } from "./call-tool";

test("a message and its hint read as two sentences", () => {
  expect(reasonOf(new ApiError(404, "RESOURCE_NOT_FOUND", "There is no mission m_1", "Run 'mission missions'."))).toBe(
    "There is no mission m_1. Run 'mission missions'.",
  );
  expect(reasonOf(new ApiError(0, "NOT_CONNECTED", "It is not responding.", "Try again."))).toBe(
    "It is not responding. Try again.",
  );
  expect(reasonOf(new Error("x"))).toBe("x");
});
