// The arguments of a client's program: a line split into words, and the model as clients take it.

/** The client that stands for any program. */
export const ANY_PROGRAM = "command";

/** Split a line of arguments at spaces; quotes keep words together. */
export function splitArguments(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** Return the arguments that choose a model; every client takes `--model`. */
export function modelArguments(client: string, model: string): string[] {
  return client === ANY_PROGRAM || model.trim() === "" ? [] : ["--model", model.trim()];
}
