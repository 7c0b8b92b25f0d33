// Nested values as rows of a name and a word.

export function flat(value: Record<string, unknown>, before = ""): [string, string][] {
  return Object.entries(value).flatMap(([name, each]): [string, string][] => {
    const whole = `${before}${name.replaceAll("_", " ")}`;
    if (typeof each === "object" && each !== null && !Array.isArray(each)) return flat(each as Record<string, unknown>, `${whole}, `);
    if (Array.isArray(each)) return [[whole, each.length === 0 ? "none" : each.map((part) => (typeof part === "object" ? JSON.stringify(part) : String(part))).join(", ")]];
    return [[whole, each === null ? "–" : String(each)]];
  });
}
