/** The worker of one open note store: scrypt, age and the notes stay here, off the page's thread. */
import { serveTasks } from "../threads/serve_tasks.ts";
import type { VaultTask } from "./vault/vault_task.ts";
import { openVaultTasks } from "./vault/vault_tasks.ts";

const run = openVaultTasks();
serveTasks<VaultTask>("vault", (task) => run(task));
