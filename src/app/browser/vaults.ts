/** Opens each note store in a worker of its own, so that the page stays responsive and locking ends the worker. */
import { threadRuntime } from "../../threads/thread_runtime.ts";
import { WorkerPool } from "../../threads/worker_pool.ts";
import type { Vaults } from "../ports.ts";
import type { VaultResults, VaultTask } from "../vault/vault_task.ts";
import { vaultsOver } from "../vault/vaults_over.ts";

const MAX_QUEUED_TASKS = 64;

/** @param workerModule the bundle of `vault_worker.ts` */
export function browserVaults(workerModule: URL): Vaults {
  return vaultsOver(() =>
    new WorkerPool<VaultTask, VaultResults>({
      name: "vault",
      maxWorkers: 1,
      maxQueuedTasks: MAX_QUEUED_TASKS,
      startWorker: () => threadRuntime.startWorker(workerModule),
      workerModule,
    })
  );
}
