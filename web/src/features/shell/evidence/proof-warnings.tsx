// Reasons to look at a result although its checks passed, and why it is not proved.
import type { TaskProofGlance } from "@/api/types";
import { plural } from "@/ui/format";
import { QUEUE, type Status, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const NAMED = 5;

export function ProofWarnings({ proof }: { proof: TaskProofGlance }) {
  const { flags, unexpected_files: outside } = proof;
  return (
    <>
      {flags.map((flag) => (
        <Warning key={flag} status={QUEUE.blocker!} text={`${flag.charAt(0).toUpperCase()}${flag.slice(1)}.`} />
      ))}
      {outside.length > 0 && (
        <Warning
          status={QUEUE.blocker!}
          text={`${plural(outside.length, "changed file")} outside the task's areas: ${named(outside)}.`}
        />
      )}
    </>
  );
}

/** Say why a result is unproved, who accepted it, or what its checks wait for. */
export function ProofReason({ proof }: { proof: TaskProofGlance }) {
  if (proof.state === "accepted")
    return <Warning status={TASK.accepted!} text={`Accepted by ${proof.by ?? "a person"}: ${proof.reason}`} />;
  if (proof.state === "unproved" && proof.reason !== null)
    return <Warning status={TASK.unproved!} text={`Done, unproved: ${proof.reason}.`} />;
  if (proof.waits !== null) return <Warning status={TASK.checking!} text={`Checking: ${proof.waits}.`} />;
  return null;
}

function Warning({ status, text }: { status: Status; text: string }) {
  return (
    <p className={`proof-warning tone-${status.tone}`}>
      <StatusIcon status={status} size={14} decorative /> <span>{text}</span>
    </p>
  );
}

function named(files: readonly string[]): string {
  return files.slice(0, NAMED).join(", ") + (files.length > NAMED ? ` and ${files.length - NAMED} more` : "");
}
