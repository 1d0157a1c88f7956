/** A pool without a quote delays only its own withdrawals. Runs the relayer's core on virtual time. */
import { equal, ok } from "node:assert/strict";
import { Problem } from "../../../src/core/errors/problem.ts";
import { DUE_AT, startQueueScenario } from "./queued_withdrawals.ts";

const refusing = () => Promise.reject(new Problem("chain_unavailable", "refused"));
const hanging = () => new Promise<never>(() => {});

for (const [how, answer] of [["fails", refusing], ["hangs", hanging]] as const) {
  Deno.test(`broadcaster: a pool whose quote ${how} delays no withdrawal of another pool`, async () => {
    let broken = true;
    let requests = 0;
    const { time, world, store, jobs, pools: [silent, sound], stateOf, end } = await startQueueScenario({
      wallet: "v4R2",
      pools: 2,
      // The withdrawals of the silent pool are the oldest, so they are first in every round.
      queued: [{ pool: 0 }, { pool: 0 }, { pool: 1 }],
      get: (get, { pools: [silent] }) => (address, method, ...rest) => {
        if (!broken || method !== "get_withdraw_value" || !address.equals(silent.address)) {
          return get(address, method, ...rest);
        }
        requests++;
        return answer();
      },
    });

    const paid = await time.run(() => sound.spent.size === 1, DUE_AT + 120_000);
    ok(paid, "the sound pool's withdrawal is paid within two minutes");
    await time.run(() => false, time.now() + 60_000);
    equal(await stateOf(2), "confirmed");
    equal(await stateOf(0), "accepted");
    equal(await stateOf(1), "accepted");
    const [{ pool, nullifierHash }] = jobs;
    const { notBefore } = (await store.job({ pool, nullifierHash }))!;
    ok(notBefore! > DUE_AT, "its withdrawals are put off, so that others come first");
    ok(requests > 2, "the silent pool is asked again and again");
    ok(requests < 60, `and not without a pause: ${requests} times`);

    broken = false;
    await time.run(() => silent.spent.size === 2, time.now() + 120_000);
    await time.run(() => false, time.now() + 60_000);
    equal(await stateOf(0), "confirmed");
    equal(await stateOf(1), "confirmed");
    for (const count of world.arrivals.values()) equal(count, 1, "each message reached its pool once");
    end();
  });
}
