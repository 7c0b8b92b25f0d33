// One task.
import { TaskPage } from "@/features/task/task-page";

export default TaskPage;
