import { expect, test } from "vitest";

import { changeIn, countLines, parseDiff } from "./parse-diff";

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

test("a diff is parsed into lines with the numbers of both sides", () => {
  expect(parseDiff(PATCH).map((line) => [line.kind, line.old, line.new, line.text])).toEqual([
    ["hunk", null, null, "@@ def issue():"],
    ["same", 41, 41, "same"],
    ["removed", 42, null, "-- a dash line that was removed"],
    ["added", null, 42, "new <b>line</b>"],
    ["added", null, 43, "another"],
    ["same", 43, 44, "end"],
    ["note", null, null, "No newline at end of file"],
  ]);
  expect(countLines(parseDiff(PATCH))).toEqual({ added: 2, removed: 1 });
});

test("renames, mode changes and links are described", () => {
  const words = (patch: string) => parseDiff(patch).map((line) => line.text);
  const moved = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
  const linked =
    "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n" +
    "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+there\n";

  expect(words(moved)).toEqual(["Renamed from x", "to y"]);
  expect(words("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")).toEqual([
    "Mode changed from 100644",
    "to 100755",
  ]);
  expect(words(linked)).toEqual(["@@", "old", "Symbolic link; the line shows its target.", "@@", "there"]);
});

test("a binary file is noted, and an empty diff has no lines", () => {
  expect(parseDiff("diff --git a/x b/x\nBinary files a/x and b/x differ\n")[0]?.text).toBe("Binary file changed.");
  expect(parseDiff("")).toEqual([]);
});

test("a diff says whether its file was added, modified or deleted", () => {
  const lines = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new file mode 100644\n";

  expect(changeIn(`diff --git a/x b/x\n${lines}`)).toBe("M");
  expect(changeIn(`diff --git a/x b/x\nnew file mode 100644\n${lines}`)).toBe("A");
  expect(changeIn(`diff --git a/x b/x\ndeleted file mode 100644\n${lines}`)).toBe("D");
});
