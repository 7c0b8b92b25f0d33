import { expect, test } from "vitest";

const SOURCES = import.meta.glob<string>("./**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const IMPORT = /(?:from|import) ?\(?"([^"]+)"/g;

/** The folder that a path belongs to: `features/inbox`, `ui`, or "" for a file at the top. */
function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.slice(0, parts[0] === "features" ? 2 : parts.length > 1 ? 1 : 0).join("/");
}

/** The path of a module relative to `src`; null for packages. */
function resolve(importer: string, specifier: string): string | null {
  if (specifier.startsWith("@/")) return specifier.slice(2);
  if (!specifier.startsWith(".")) return null;
  return new URL(specifier, `file:///${importer}`).pathname.slice(1);
}

function isTestHelp(importer: string, target: string): boolean {
  return target.startsWith("testing/") && importer.includes(".test.");
}

function mayImport(from: string, to: string): boolean {
  if (from === "" || from === to) return true;
  if (from.startsWith("features/")) return ["features/shell", "ui", "api", "live"].includes(to);
  if (from === "ui" || from === "testing") return to === "api";
  return ["api", "live"].includes(to);
}

test("features share only the shell, and nothing below imports a feature", () => {
  const found = Object.entries(SOURCES).flatMap(([file, text]) => {
    const importer = file.slice(2);
    const targets = [...text.matchAll(IMPORT)].flatMap(([, specifier]) => resolve(importer, specifier!) ?? []);
    return targets
      .filter(
        (target) =>
          !isTestHelp(importer, target) &&
          !target.startsWith("icon.svg") &&
          !mayImport(folderOf(importer), folderOf(target)),
      )
      .map((target) => `${importer} imports ${target}`);
  });

  expect(Object.keys(SOURCES).length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
