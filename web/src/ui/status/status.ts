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
  | "disc-person"
  | "half-disc"
  | "octagon"
  | "ring-cross"
  | "dashed-cross"
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
  partial: status("half-disc", "success", "Partial"),
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
  checking: status("dashed-check", "progress", "Checking"),
  proved: status("disc-check", "success", "Proved"),
  unproved: status("dashed-check", "success", "Done, unproved"),
  accepted: status("disc-person", "success", "Accepted"),
  partial: status("half-disc", "success", "Partial"),
  failed: status("octagon", "danger", "Failed"),
  skipped: status("ring-slash", "muted", "Skipped"),
};

/** A task by its stored status alone, where its dependencies and its proof are unknown. */
export const STORED: Record<string, Status> = {
  pending: status("ring", "neutral", "Not started"),
  planning: TASK.planning!,
  in_progress: TASK.working!,
  paused: TASK.paused!,
  review: TASK.review!,
  completed: status("dashed-check", "success", "Done"),
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

/** What a run does. */
export const RUN: Record<string, Status> = {
  planning: status("ring-dot", "progress", "Planning"),
  ready: status("ring", "neutral", "Ready"),
  waits: status("diamond-question", "attention", "Waits for you"),
  running: status("half", "progress", "Running"),
  paused: status("ring-pause", "neutral", "Paused"),
  finishing: status("dashed-check", "progress", "Finishing"),
  finished: status("disc-check", "success", "Finished"),
  stopped: status("square", "neutral", "Stopped"),
};

/** Where a task of a run is. */
export const STAGE: Record<string, Status> = {
  waiting: status("dotted", "muted", "Waiting"),
  working: status("half", "progress", "Working"),
  checking: status("dashed-check", "progress", "Checking"),
  reviewing: status("diamond-check", "attention", "Review"),
  merging: status("ring-dot", "progress", "Merging"),
  merged: status("disc-check", "success", "Merged"),
  asking: status("diamond-question", "attention", "Asks you"),
  retrying: status("ring", "neutral", "Retrying"),
  failed: status("octagon", "danger", "Failed"),
  skipped: status("ring-slash", "muted", "Skipped"),
};

/** How far a candidate of a run has come. */
export const CANDIDATE: Record<string, Status> = {
  reported: status("dotted", "muted", "Reported"),
  queued: status("ring", "neutral", "Queued"),
  built: status("dashed-check", "progress", "Checking"),
  checked: status("half-disc", "success", "Checked"),
  merged: status("disc-check", "success", "Merged"),
  conflicted: status("triangle", "attention", "Conflict"),
  failed: status("octagon", "danger", "Sent back"),
  withdrawn: status("ring-slash", "muted", "Withdrawn"),
};

/** What a check said about a tree. */
export const EVIDENCE: Record<string, Status> = {
  not_run: status("ring", "neutral", "Not run"),
  queued: status("dotted", "muted", "Waiting"),
  running: status("dashed-check", "progress", "Running"),
  passed: status("disc-check", "success", "Passed"),
  failed: status("octagon", "danger", "Failed"),
  void: status("ring-slash", "muted", "Void: tree changed"),
  error: status("triangle", "attention", "Could not run"),
  lost: status("ring-cross", "danger", "Lost"),
};

/** Parts of a proof bar. */
export const PROOF = {
  proved: TASK.proved!,
  accepted: TASK.accepted!,
  unproved: TASK.unproved!,
  failing: status("dashed-cross", "danger", "Failing"),
  failed: TASK.failed!,
  skipped: TASK.skipped!,
  open: status("ring", "neutral", "Open"),
} as const satisfies Record<string, Status>;

/** Kinds of inbox items. */
export const QUEUE: Record<string, Status> = {
  question: status("diamond-question", "attention", "Question"),
  blocker: status("triangle", "attention", "Blocker"),
  review: status("diamond-check", "attention", "Review"),
  failure: status("octagon", "danger", "Failure"),
  escalation: status("diamond-up", "attention", "Escalation"),
  mail: status("diamond", "attention", "Mail"),
  health: status("triangle", "attention", "Health"),
  checks: status("diamond-question", "attention", "Checks"),
  run: status("diamond-question", "attention", "Run"),
};

const UNKNOWN = status("ring", "neutral", "");

/** Return the status for a word of the server. An unknown word, such as from a newer server, is shown as it is. */
export function statusFor(table: Record<string, Status>, word: string): Status {
  return table[word] ?? { ...UNKNOWN, word };
}

/** Return the status of a mission. A completed one is solid only if every completed task is proved or accepted. */
export function missionStatus(mission: { status: string }, tasks: { proved: number; unproved: number }): Status {
  const found = statusFor(MISSION, mission.status);
  return mission.status === "completed" && tasks.proved > 0 && tasks.unproved === 0
    ? { ...found, shape: "disc-check" }
    : found;
}
