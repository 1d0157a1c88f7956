/** The worker thread: runs one task at a time and keeps nothing between them. */
import { serveTasks } from "../threads/serve_tasks.ts";
import { runTreeTask, type TreeTask } from "./tree_task.ts";

serveTasks<TreeTask>("tree", runTreeTask);
