// The inbox items of one task.
import { useTool } from "@/api/use-tool";
import { ItemCards } from "@/features/shell/answering/item-cards";

export function WaitingForYou({ taskId }: { taskId: string }) {
  const items = useTool("queue_list", { task_id: taskId }).data?.items ?? [];
  return (
    <ItemCards label="Waiting for you" items={items} among={(item) => item.task_id === taskId} withReview={false} />
  );
}
