// What a run asks you, answerable in place.
import { useNavigate } from "react-router";

import type { ItemRow, RunDetail } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { ItemCards } from "@/features/shell/answering/item-cards";

const MAX = 100;

interface RunQuestionsProps {
  run: Pick<RunDetail, "run_id" | "mission_id" | "questions" | "queue">;
  /** The task whose candidate is shown: its review is answered here, without the details below it. */
  task?: string;
}

export function RunQuestions({ run, task }: RunQuestionsProps) {
  const navigate = useNavigate();
  const open = useTool("queue_list", { mission_id: run.mission_id, limit: MAX }).data?.items ?? [];
  const asked = new Set(run.questions.map((question) => question.item_id));
  const shown = open.filter(
    (item) => asked.has(item.id) && (task === undefined || (item.kind === "review" && item.task_id === task)),
  );
  /** A result is judged next to its diff. */
  const openCandidate = (item: ItemRow) => {
    const candidate = run.queue.find((each) => each.task_id === item.task_id);
    if (task !== undefined || item.kind !== "review" || candidate === undefined) return null;
    return () => void navigate(`/runs/${run.run_id}?candidate=${candidate.candidate_id}`);
  };
  return (
    <ItemCards
      label="Questions from this run"
      items={shown}
      among={(item) => item.mission_id === run.mission_id}
      withReview={task === undefined}
      elsewhere={openCandidate}
    />
  );
}
