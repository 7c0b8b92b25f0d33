import { expect, test } from "vitest";

import { countLines, readPatch } from "./parse-diff";

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

test("a move, a mode and a file that became a link are told in words", () => {
  const words = (patch: string) => readPatch(patch).map((line) => line.text);
  const moved = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
  const linked =
    "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n" +
    "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+there\n";

  expect(words(moved)).toEqual(["Moved from x", "to y, with the same content."]);
  expect(words("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")).toEqual(["The mode was 100644", "and is 100755."]);
  expect(words(linked)).toEqual(["@@", "old", "A symbolic link: its line is where it leads.", "@@", "there"]);
});

test("a binary file says so, and an empty patch has no lines", () => {
  expect(readPatch("diff --git a/x b/x\nBinary files a/x and b/x differ\n")[0]?.text).toBe("A binary file changed.");
  expect(readPatch("")).toEqual([]);
});
