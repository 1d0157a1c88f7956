/** Opens note stores in a worker, so that the page stays responsive and never has the key. */
import { Secret } from "../../core/text/secret.ts";
import { threadRuntime } from "../../threads/thread_runtime.ts";
import { WorkerPool } from "../../threads/worker_pool.ts";
import type { OpenVault, Vaults } from "../ports.ts";
import type { VaultResults, VaultTask } from "../vault_task.ts";

const MAX_QUEUED_TASKS = 64;

/** @param workerModule the bundle of `vault_worker.ts` */
export function browserVaults(workerModule: URL): Vaults & Disposable {
  // One worker: a key is known only to the worker that opened it.
  const pool = new WorkerPool<VaultTask, VaultResults>({
    name: "vault",
    maxWorkers: 1,
    maxQueuedTasks: MAX_QUEUED_TASKS,
    startWorker: () => threadRuntime.startWorker(workerModule),
    workerModule,
  });
  const openVault = (vault: number): OpenVault => ({
    encrypt: (text) => pool.run({ kind: "encrypt", vault, text }),
    decrypt: (bytes) => pool.run({ kind: "decrypt", vault, bytes }),
    toPaperCode: (text) => pool.run({ kind: "paper", vault, text: text.reveal() }),
    close: () => void pool.run({ kind: "close", vault }).catch(() => {}), // the worker has ended, and its keys are gone
  });
  return {
    create: async (passphrase, { isLight } = { isLight: false }) =>
      openVault(await pool.run({ kind: "create", passphrase: passphrase.reveal(), isLight })),
    open: async (bytes, passphrase) =>
      openVault(await pool.run({ kind: "open", bytes, passphrase: passphrase.reveal() })),
    openPaperCode: async (code, passphrase) =>
      new Secret(await pool.run({ kind: "openPaper", code, passphrase: passphrase.reveal() })),
    [Symbol.dispose]: () => pool.close(),
  };
}
