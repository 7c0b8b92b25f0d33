import { expect, test } from "vitest";

import { countLines, readPatch } from "./patch";

const PATCH = `diff --git a/x.py b/x.py
index 1..2 100644
--- a/x.py
+++ b/x.py
@@ -41,3 +41,4 @@ def issue():
 same
--- a dash line that was removed
+new <b>line</b>
+another
 end
\\ No newline at end of file
`;

test("a patch is read into lines with the numbers of both sides", () => {
  expect(readPatch(PATCH).map((line) => [line.kind, line.old, line.new, line.text])).toEqual([
    ["hunk", null, null, "@@ def issue():"],
    ["same", 41, 41, "same"],
    ["removed", 42, null, "-- a dash line that was removed"],
    ["added", null, 42, "new <b>line</b>"],
    ["added", null, 43, "another"],
    ["same", 43, 44, "end"],
    ["note", null, null, "No newline at end of file"],
  ]);
  expect(countLines(readPatch(PATCH))).toEqual({ added: 2, removed: 1 });
});

test("a binary file says so, and an empty patch has no lines", () => {
  expect(readPatch("diff --git a/x b/x\nBinary files a/x and b/x differ\n")[0]?.text).toBe("A binary file changed.");
  expect(readPatch("")).toEqual([]);
});
