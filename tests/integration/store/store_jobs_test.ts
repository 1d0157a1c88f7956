/** The requirements on every store for jobs and transfers. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import type { Job } from "../../../src/store/store.ts";
import {
  apply,
  at,
  confirm,
  deposit,
  job,
  pool,
  refusal,
  testStores,
  transfer,
  withdrawal,
} from "../../support/store/stores.ts";

testStores("a batch of the maximum size that settles only jobs fits in one commit", async (store) => {
  const hashes = Array.from({ length: store.batchLimit }, (_, i) => 2n ** 250n + BigInt(i));
  for (let i = 0; i < hashes.length; i += 50) {
    await Promise.all(hashes.slice(i, i + 50).map((hash) => store.addJob(job(hash), () => false)));
  }
  equal((await store.liveJobs()).length, hashes.length);
  await apply(store, hashes.map((hash, i) => withdrawal(i, hash)), undefined, 1_000, confirm);
  equal((await store.job({ pool, nullifierHash: hashes.at(-1)! }))!.state, "confirmed");
  deepEqual(await store.liveJobs(), []);
});

testStores(
  "a job ends in the same step as its event, and a refused batch ends no job",
  async (store) => {
    await store.addJob(job(77n), () => false);
    await rejects(apply(store, [withdrawal(1, 77n)], 3, 9, confirm), { code: "store_conflict" });
    equal((await store.job({ pool, nullifierHash: 77n }))!.state, "accepted");
    await apply(
      store,
      [refusal(0), refusal(1, 77n), withdrawal(2, 77n), refusal(3, 77n)],
      undefined,
      9,
      confirm,
    );
    const { state, txHash } = (await store.job({ pool, nullifierHash: 77n }))!;
    deepEqual([state, txHash], ["confirmed", at(2).hash]);
  },
);

testStores("a job is read as it was written, also after a restart", async (store, reopen) => {
  await store.addJob(
    job(77n, { seqno: 4, messageHash: "ab", notBefore: 12, capToken: "c0-ff" }),
    () => false,
  );
  deepEqual(
    await (await reopen()).job({ pool, nullifierHash: 77n }),
    job(77n, { seqno: 4, messageHash: "ab", notBefore: 12, capToken: "c0-ff" }),
  );
});

testStores(
  "of 200 equal concurrent jobs exactly one is added, and the other calls return it",
  async (store) => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const add = () => store.addJob(job(77n, { queryId: BigInt(i) }), () => true);
        const again = (error: unknown): ReturnType<typeof add> => {
          if (!(error instanceof Problem) || error.code !== "overloaded") throw error;
          return add().catch(again); // the error asks for a retry: nothing was done yet
        };
        return add().catch(again);
      }),
    );
    equal(answers.filter((answer) => answer === undefined).length, 1);
    const { queryId } = (await store.job({ pool, nullifierHash: 77n }))!;
    for (const answer of answers) if (answer) equal((answer as Job).queryId, queryId);
  },
);

testStores("a finished job is replaced only if the caller agrees, and a live one never", async (store) => {
  await store.addJob(job(77n), () => false);
  ok(await store.addJob(job(77n), () => true));
  await store.changeJob({ pool, nullifierHash: 77n }, (found) => ({ ...found, state: "failed" }));
  ok(await store.addJob(job(77n, { queryId: 8n }), () => false));
  equal(await store.addJob(job(77n, { queryId: 8n }), (found) => found.state === "failed"), undefined);
  equal((await store.job({ pool, nullifierHash: 77n }))!.queryId, 8n);
});

testStores(
  "a superseded job is finished: it is not live, keeps what was paid, and is deleted with old jobs",
  async (store) => {
    await store.addJob(job(77n), () => false);
    const paid = { state: "superseded", fee: 3n, endedAt: 5 } as const;
    await apply(store, [withdrawal(1, 77n)], undefined, 9, (found) => ({ ...found, ...paid }));
    deepEqual(await store.job({ pool, nullifierHash: 77n }), { ...job(77n), ...paid });
    deepEqual(await store.liveJobs(), []);
    ok(await store.addJob(job(77n, { queryId: 8n }), () => false));
    equal(await store.deleteEndedJobs(6), 1);
    ok(await store.withdrawal(pool, 77n));
  },
);

testStores("no job is added for a note that was paid on chain", async (store) => {
  await apply(store, [withdrawal(1, 77n)], undefined, 9);
  equal((await store.addJob(job(77n), () => true) as { txHash: string }).txHash, at(1).hash);
  equal(await store.job({ pool, nullifierHash: 77n }), undefined);
});

testStores(
  "if a job and its note's payment are written concurrently, the job is refused or ended, never left live",
  async (store) => {
    const hashes = Array.from({ length: 60 }, (_, i) => 9_000n + BigInt(i));
    const indexed = (async () => {
      for (const [i, hash] of hashes.entries()) {
        await apply(store, [withdrawal(i, hash)], i === 0 ? undefined : i - 1, i, confirm);
      }
    })();
    for (const hash of hashes) await store.addJob(job(hash), () => false);
    await indexed;
    deepEqual(await store.liveJobs(), []);
  },
);

testStores("finished jobs are deleted by age, live ones and payments never", async (store) => {
  const end = (hash: bigint, endedAt: number) =>
    store.changeJob({ pool, nullifierHash: hash }, (found) => ({ ...found, state: "failed", endedAt }));
  await apply(store, [withdrawal(1, 5n)], undefined, 9);
  for (const hash of [1n, 2n, 3n]) await store.addJob(job(hash), () => false);
  await end(1n, 99);
  await end(2n, 100);
  equal(await store.deleteEndedJobs(100), 1);
  const left = await Promise.all([1n, 2n, 3n].map((nullifierHash) => store.job({ pool, nullifierHash })));
  deepEqual(left.map((found) => found?.state), [undefined, "failed", "accepted"]);
  ok(await store.withdrawal(pool, 5n));
  equal(await store.addJob(job(1n), () => false), undefined);
});

testStores("a job that replaces an ended one while ended jobs are deleted is kept", async (store) => {
  const hashes = Array.from({ length: 60 }, (_, i) => 500n + BigInt(i));
  for (const hash of hashes) {
    await store.addJob(job(hash), () => false);
    await store.changeJob(
      { pool, nullifierHash: hash },
      (found) => ({ ...found, state: "failed", endedAt: 1 }),
    );
  }
  const deleting = store.deleteEndedJobs(100);
  await store.addJob(job(hashes[50], { queryId: 999n }), () => true);
  await deleting;
  const left = await Promise.all(hashes.map((nullifierHash) => store.job({ pool, nullifierHash })));
  deepEqual(left.flatMap((found) => found ? [[found.nullifierHash, found.queryId]] : []), [[
    hashes[50],
    999n,
  ]]);
});

testStores("a reader that stops early leaves no transaction open", async (store) => {
  const events = Array.from({ length: 20 }, (_, i) => deposit(i));
  await apply(store, events, undefined, 20);
  for (let i = 0; i < 30; i++) {
    for await (const { firstIndex: first } of store.leaves(pool, 3)) {
      equal(first, 3);
      break;
    }
  }
});

testStores("live jobs are listed oldest first, ended ones are not", async (store) => {
  for (const [hash, acceptedAt] of [[1n, 30], [2n, 10], [3n, 20]] as const) {
    await store.addJob(job(hash, { acceptedAt }), () => false);
  }
  await store.changeJob({ pool, nullifierHash: 3n }, (found) => ({ ...found, state: "expired" }));
  deepEqual((await store.liveJobs()).map((found) => found.nullifierHash), [2n, 1n]);
});

testStores("concurrent changes of one job are all applied, one after the other", async (store) => {
  await store.addJob(job(77n), () => false);
  const more = () =>
    store.changeJob({ pool, nullifierHash: 77n }, (found) => ({ ...found, failures: found.failures + 1 }));
  await Promise.all(Array.from({ length: 20 }, more));
  equal((await store.job({ pool, nullifierHash: 77n }))!.failures, 20);
  equal(await store.changeJob({ pool, nullifierHash: 78n }, (found) => found), undefined);
});

testStores("a signed transfer survives a restart byte for byte", async (store, reopen) => {
  await store.beginTransfer(transfer("aa"));
  deepEqual(await (await reopen()).transfer(), transfer("aa"));
});

testStores("at most one transfer is in flight, and only its own hash ends it", async (store) => {
  equal(await store.transfer(), undefined);
  await store.beginTransfer(transfer("aa"));
  await rejects(store.beginTransfer(transfer("bb")), { code: "store_conflict" });
  await store.endTransfer("bb");
  equal((await store.transfer())!.hash, "aa");
  await store.endTransfer("aa");
  equal(await store.transfer(), undefined);
  await store.beginTransfer(transfer("bb"));
});

Deno.test("kv store: a directory that is in use is refused, and free again after closing", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-store-" });
  const store = await openKvStore(`${directory}/made/on/the/way`);
  await rejects(openKvStore(`${directory}/made/on/the/way`), { code: "folder_in_use" });
  equal(openFiles(`${directory}/made/on/the/way/tonado.lock`), 1);
  await store.close();
  await (await openKvStore(`${directory}/made/on/the/way`)).close();
  await Deno.remove(directory, { recursive: true });
});

/** Returns the number of descriptors of this process that refer to a file. */
function openFiles(path: string): number {
  return [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      return false; // closed meanwhile
    }
  }).length;
}
