/**
 * A transfer of an earlier run whose withdrawal has been replaced. Runs the relayer's core on virtual time.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { DUE_AT, STARTED_AT, startQueueScenario } from "./queued_withdrawals.ts";

Deno.test("broadcaster: a transfer of an earlier proof of a note does not change the note's new job", async () => {
  const { time, world, store, pools: [pool], jobs: [job], stateOf, end } = await startQueueScenario({
    wallet: "v5R1",
    pools: 1,
    queued: [{ pool: 0 }],
    inherited: async ({ store, jobs: [{ pool, nullifierHash }], wallet }) => {
      // No chain includes this transfer, because the wallet has another seqno.
      const { message, hash, validUntil } = wallet.sign({
        seqno: 1_000,
        validUntil: STARTED_AT / 1000 + 60,
        messages: [{ to: new Address(0, Buffer.alloc(32, 9)), value: 1n, bounce: false }],
      });
      await store.beginTransfer({
        seqno: 1_000,
        validUntil,
        hash,
        boc: new Uint8Array(message.toBoc()),
        jobs: [{ pool, nullifierHash, queryId: 99n }],
        signedAt: STARTED_AT / 1000,
      });
    },
  });
  ok(await time.run(() => pool.spent.size === 1, DUE_AT + 240_000), "the note is paid");
  await time.run(() => false, time.now() + 60_000);
  equal(await stateOf(0), "confirmed");
  const { pool: id, nullifierHash } = job;
  equal((await store.job({ pool: id, nullifierHash }))!.attempts, undefined, "it was never requeued");
  deepEqual([...world.arrivals.values()], [1]);
  end();
});
