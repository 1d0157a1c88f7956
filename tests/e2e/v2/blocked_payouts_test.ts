/**
 * A relayer and a version 2 jetton pool whose wallet refused payouts. The relayer does not send a withdrawal
 * that the pool would refuse because it has no room for more claims.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { beginCell, type Cell, toNano } from "@ton/core";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { exitCodes } from "../../../src/core/errors/problem.ts";
import { manyClaims, withOpenClaims } from "../../../testkit/chain/v2/claims.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../../support/relayer/relayer_harness.ts";
import { BATCH_MS, Version2Harness } from "../../support/relayer/version2_harness.ts";

const KEY = "jet-10-v2";

/** Starts a relayer, and a pool with ten settled notes. */
async function openScene(net: RelayerHarness) {
  const v2 = new Version2Harness(net, KEY);
  const { address } = net.pool(KEY);
  const notes = Array.from({ length: 10 }, () => v2.note());
  const claims = async (count: number) => {
    await net.localnet.changeData(address, (data) => withOpenClaims(data, manyClaims(count)));
    equal((await v2.pool.getPoolInfo()).claims, count);
  };
  const restart = async () => {
    await net.relayer?.close();
    await net.startRelayer({ batchMs: BATCH_MS, maxCostNano: toNano(10) });
    await v2.untilLeaves(v2.tree.size);
  };
  const idOf = (leafIndex: number) => poseidon([notes[leafIndex].nullifier, BigInt(leafIndex)]);
  const withdraw = async (...leaves: number[]) => {
    const requests = await Promise.all(leaves.map((leaf) => v2.request(notes[leaf], leaf)));
    await v2.withdrawTogether(requests);
    return Promise.all(leaves.map(async (leaf) => {
      const id = { pool: v2.address, nullifierHash: fieldToHex(idOf(leaf)) };
      equal((await net.untilState(id, "confirmed", "failed", "expired")).state, "confirmed");
      return (await net.store.job({ pool: address.toRawString(), nullifierHash: idOf(leaf) }))!;
    }));
  };
  const refusedByPool = async () => {
    const transactions = await net.chain.transactions(address, { limit: 50 });
    return transactions.filter(({ raw: { description } }) =>
      description.type === "generic" && description.computePhase.type === "vm" &&
      description.computePhase.exitCode === exitCodes.ERR_PAYOUTS_BLOCKED
    ).length;
  };

  await net.startRelayer({});
  for (const { commitment } of notes) await v2.deposit(commitment);
  await v2.settle(notes.map(({ commitment }) => commitment));
  const jobOf = (leafIndex: number) =>
    net.store.job({ pool: address.toRawString(), nullifierHash: idOf(leafIndex) });
  const request = (leafIndex: number) => v2.request(notes[leafIndex], leafIndex);
  return { net, v2, claims, restart, withdraw, refusedByPool, jobOf, request };
}

Deno.test("relayer: a batch has two claims of room for each withdrawal, and none is accepted without room", async (t) => {
  await using net = await RelayerHarness.start({ relayer: false });
  const scene = await openScene(net);
  const { claims, restart, withdraw, refusedByPool, jobOf, request } = scene;

  await t.step(
    "with room for two, three withdrawals go in two messages, and the pool refuses none",
    async () => {
      await claims(252);
      await restart();
      await waitUntil("the relayer knows the claims", async () => (await openClaims(net)) === 252);
      const jobs = await withdraw(0, 1, 2);
      const messages = new Set(jobs.map(({ txHash }) => String(txHash)));
      deepEqual([messages.size, await refusedByPool()], [2, 0]);
    },
  );

  await t.step("without room for one, a withdrawal is refused and nothing is sent", async () => {
    await claims(255);
    await restart();
    const { last } = await net.chain.account(net.relayerAddress);
    const { status, body } = await net.post("/withdraw", await request(3));
    deepEqual([status, body.code, body.openClaims], [503, "payouts_blocked", 255]);
    equal(await jobOf(3), undefined);
    deepEqual((await net.chain.account(net.relayerAddress)).last, last, "the wallet sent nothing");
  });

  await t.step("once there is room again, it is paid", async () => {
    await claims(254);
    await restart();
    const [{ txHash }] = await withdraw(3);
    ok(txHash);
    equal(await refusedByPool(), 0);
  });

  await t.step("payouts that the wallet refused after the last read take room", () => refusesPayouts(scene));
});

async function refusesPayouts(scene: Awaited<ReturnType<typeof openScene>>): Promise<void> {
  const { net, v2, claims, restart, withdraw, refusedByPool, jobOf, request } = scene;
  await claims(248);
  await restart();
  await waitUntil("the relayer knows the claims", async () => (await openClaims(net)) === 248);
  const { jettonWallet } = await v2.pool.getPoolInfo();
  await net.localnet.changeData(jettonWallet!, withoutJettons);
  await withdraw(4, 5, 6); // three payouts and a fee become claims: there is room for two more
  const leaves = [7, 8, 9];
  const requests = await Promise.all(leaves.map(request));
  const answers = v2.withdrawTogether(requests); // the relayer answers when it sends
  await waitUntil("the claims of two more are known", async () => (await openClaims(net)) === 255);
  await waitUntil("two of the three are confirmed", async () => {
    const states = (await Promise.all(leaves.map(jobOf))).map((job) => job?.state).toSorted();
    return states.join() === "accepted,confirmed,confirmed";
  });
  equal(await refusedByPool(), 0);
  await net.relayer.close();
  await answers.catch(() => {});
}

/** Returns the data of a wallet that refuses every transfer. */
function withoutJettons(data: Cell): Cell {
  const slice = data.beginParse();
  slice.loadCoins();
  return beginCell().storeCoins(0).storeSlice(slice).endCell();
}

async function openClaims(net: RelayerHarness): Promise<number> {
  const { body } = await net.get("/pools");
  return body.pools[KEY].openClaims;
}
