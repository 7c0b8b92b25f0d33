// Every state the page shows, with its shape, tone and word. Color only repeats what shape and word say.

export type Tone = "progress" | "attention" | "success" | "danger" | "muted" | "neutral";

export type Shape =
  | "ring-dot"
  | "half"
  | "dashed-check"
  | "diamond-question"
  | "diamond-check"
  | "diamond-pause"
  | "diamond-up"
  | "diamond"
  | "triangle"
  | "disc-check"
  | "half-disc"
  | "octagon"
  | "ring-cross"
  | "dotted"
  | "ring"
  | "ring-pause"
  | "ring-slash"
  | "square";

export interface Status {
  shape: Shape;
  tone: Tone;
  word: string;
}

const status = (shape: Shape, tone: Tone, word: string): Status => ({ shape, tone, word });

export const MISSION: Record<string, Status> = {
  planning: status("ring-dot", "progress", "Planning"),
  ready: status("ring", "neutral", "Ready"),
  in_progress: status("half", "progress", "In progress"),
  paused: status("ring-pause", "neutral", "Paused"),
  blocked: status("triangle", "attention", "Blocked"),
  completed: status("dashed-check", "success", "Completed"),
  partial: status("half-disc", "success", "Completed in part"),
  failed: status("octagon", "danger", "Failed"),
  abandoned: status("ring-slash", "muted", "Abandoned"),
};

export const TASK: Record<string, Status> = {
  waiting: status("dotted", "muted", "Waiting"),
  ready: status("ring", "neutral", "Ready"),
  planning: status("ring-dot", "progress", "Planning"),
  working: status("half", "progress", "Working"),
  paused: status("ring-pause", "neutral", "Paused"),
  budget: status("diamond-pause", "attention", "Paused: budget"),
  asks: status("diamond-question", "attention", "Asks you"),
  blocked: status("triangle", "attention", "Blocked"),
  review: status("diamond-check", "attention", "Review"),
  claimed: status("dashed-check", "success", "Claimed"),
  partial: status("half-disc", "success", "Partial"),
  failed: status("octagon", "danger", "Failed"),
  skipped: status("ring-slash", "muted", "Skipped"),
};

/** A task by its stored status alone, where its dependencies are unknown. */
export const STORED: Record<string, Status> = {
  pending: TASK.ready!,
  planning: TASK.planning!,
  in_progress: TASK.working!,
  paused: TASK.paused!,
  review: TASK.review!,
  completed: TASK.claimed!,
  failed: TASK.failed!,
  skipped: TASK.skipped!,
};

export const AGENT: Record<string, Status> = {
  at_work: status("half", "progress", "At work"),
  idle: status("ring", "neutral", "Idle"),
  waits: status("diamond-question", "attention", "Waits for you"),
  blocked: status("triangle", "attention", "Blocked"),
  lost: status("ring-cross", "danger", "Lost"),
  offline: status("ring-slash", "muted", "Offline"),
};

export const EXECUTION: Record<string, Status> = {
  starting: status("dotted", "muted", "Starting"),
  running: status("half", "progress", "Running"),
  waiting: status("diamond-question", "attention", "Waits for you"),
  stopped: status("square", "neutral", "Stopped"),
  exited: status("disc-check", "success", "Exited 0"),
  failed: status("octagon", "danger", "Failed"),
  lost: status("ring-cross", "danger", "Lost"),
};

/** Kinds of inbox items. */
export const QUEUE: Record<string, Status> = {
  question: status("diamond-question", "attention", "Question"),
  blocker: status("triangle", "attention", "Blocker"),
  review: status("diamond-check", "attention", "Review"),
  failure: status("octagon", "danger", "Failure"),
  escalation: status("diamond-up", "attention", "Escalation"),
  mail: status("diamond", "attention", "Mail"),
  health: status("triangle", "attention", "Health"),
};

const UNKNOWN = status("ring", "neutral", "");

/** Return the status for a word of the server. An unknown word, such as from a newer server, is shown as it is. */
export function statusFor(table: Record<string, Status>, word: string): Status {
  return table[word] ?? { ...UNKNOWN, word };
}
