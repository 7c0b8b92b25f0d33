// Names that fit a node: beginnings that neighbors share are folded, and long names lose their middle.

/** The width of a character and of the space next to a name. */
const CHARACTER = 6.6;
const PADDING = 14;
const MIN_SHARED_WORDS = 2;
const MIN_SHARED_TASKS = 3;

interface Named {
  id: string;
  name: string;
  phase: number;
}

/** Return how many characters two lines of a node hold. */
export function roomFor(nodeWidth: number): number {
  return 2 * Math.floor((nodeWidth - PADDING) / CHARACTER);
}

/** Return a name for each task by id. A name that fits stays whole. */
export function shortNames(tasks: readonly Named[], room: number): Map<string, string> {
  const shared = sharedBeginnings(tasks);
  return new Map(tasks.map((task) => [task.id, shortName(task, shared, room)]));
}

function shortName({ name, phase }: Named, shared: Map<string, number>, room: number): string {
  if (name.length <= room) return name;
  const words = name.split(" ");
  for (let count = words.length - 1; count >= MIN_SHARED_WORDS; count -= 1)
    if ((shared.get(key(phase, words, count)) ?? 0) >= MIN_SHARED_TASKS)
      return withoutMiddle(words, words.length - count, room);
  return withoutMiddle(words, 1, room);
}

/** Count, for each phase, how many tasks begin with the same words. */
function sharedBeginnings(tasks: readonly Named[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name, phase } of tasks) {
    const words = name.split(" ");
    for (let count = MIN_SHARED_WORDS; count < words.length; count += 1) {
      const beginning = key(phase, words, count);
      counts.set(beginning, (counts.get(beginning) ?? 0) + 1);
    }
  }
  return counts;
}

function key(phase: number, words: readonly string[], count: number): string {
  return `${phase} ${words.slice(0, count).join(" ")}`;
}

/** Return the beginning and the end of a name: its last words tell similar names apart. */
function withoutMiddle(words: readonly string[], last: number, room: number): string {
  const end = lastWords(words, last, Math.floor(room / 2));
  return `${firstWords(words, room - end.length - 2)} …${end}`;
}

/** Return as many words from the beginning as there is room for, or a part of the first one. */
function firstWords(words: readonly string[], room: number): string {
  let text = "";
  for (let count = 1; words.slice(0, count).join(" ").length <= room && count < words.length; count += 1)
    text = words.slice(0, count).join(" ");
  return text === "" ? [...words.join(" ")].slice(0, room).join("") : text;
}

/** Return as many words from the end as there is room for, but at least `least`, cut if they are too long. */
function lastWords(words: readonly string[], least: number, room: number): string {
  let text = words.slice(-least).join(" ");
  for (let count = least + 1; words.slice(-count).join(" ").length <= room && count < words.length; count += 1)
    text = words.slice(-count).join(" ");
  return [...text].slice(-room).join("");
}
