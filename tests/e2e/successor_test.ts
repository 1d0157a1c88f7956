/**
 * One relayer serves a pool and its successor: it withdraws a note from the old pool, and the next deposit
 * goes to the new one.
 */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { depositNative } from "../../src/client/deposit/deposit_native.ts";
import { withdrawViaRelayers } from "../../src/client/withdrawal/relayed_withdrawal.ts";
import { RelayerClient } from "../../src/client/relayer/relayer_client.ts";
import { commitmentsFromChain } from "../../src/client/tree_sync.ts";
import { buildWithdrawArgs } from "../../src/client/withdrawal/build_withdraw_args.ts";
import type { Deployments } from "../../src/core/protocol/deployments.ts";
import { createNote } from "../../src/core/protocol/note.ts";
import { deployPool } from "../../src/ops/deploy/deploy.ts";
import { Pool } from "../../src/ton/pool/pool.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const OLD = "native-1";
const NEW = "native-1-g1";
const network = "localnet";
const recipient = Address.parse(`0:${"5c".repeat(32)}`);

/** Deploys a successor of a pool that has one deposit, and starts a relayer for both pools. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  const { chain, user: wallet, prover } = net;
  const successor = await deployPool({
    chain,
    wallet,
    network,
    asset: "native",
    amount: "1",
    owner: null,
    generation: 1,
    pollIntervalMs: 50,
    registry: net.localnet.deployments,
  });
  const deployments: Deployments = {
    network,
    pools: new Map([...net.localnet.deployments.pools, [NEW, successor]]),
  };
  const note = await net.deposit(OLD);
  await net.startRelayer({ deployments });
  await waitUntil("both pools are indexed", () => {
    const { pools } = net.relayer.readiness();
    return pools[OLD].ready && pools[NEW].ready && pools[OLD].leaves === 1;
  });
  const relayer = new RelayerClient("http://relayer", { fetch: (input, init) => net.request(input, init) });
  const oldPool = net.contract(OLD);
  const newPool = new Pool(chain, successor.address);
  const { relayerAddress } = await relayer.status();
  const moved = createNote({ asset: "native", amount: "1", network });
  const open = stack.move();
  return {
    relayer,
    oldPool,
    newPool,
    chain,
    note,
    relayerAddress,
    prover,
    wallet,
    moved,
    net,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("a relayer serves a pool and its successor, and a holder moves from one to the other", async (t) => {
  await using scene = await openScene();
  await listsBoth(t, scene);
  await movesNote(t, scene);
});

async function listsBoth(
  t: Deno.TestContext,
  { relayer, oldPool, newPool, chain, note, relayerAddress, prover }: Scene,
): Promise<void> {
  await t.step("the relayer lists both pools, the successor with its generation", async () => {
    const { pools } = await relayer.pools();
    deepEqual([pools[OLD].generation, pools[NEW].generation], [undefined, 1]);
    ok(pools[OLD].address.equals(oldPool.address) && pools[NEW].address.equals(newPool.address));
    deepEqual([pools[NEW].asset, pools[NEW].amount], ["native", "1"]);
    equal(await relayer.feeFloor(newPool.address), await relayer.feeFloor(NEW));
    await rejects(relayer.feeFloor(recipient), { code: "unknown_pool" });
  });

  await t.step("a note of the old pool is reported as unknown to the new one", async () => {
    const source = commitmentsFromChain(chain, newPool.address);
    const fee = await relayer.feeFloor(NEW);
    await rejects(
      buildWithdrawArgs({
        pool: newPool,
        network,
        note,
        source,
        recipient,
        relayer: relayerAddress,
        fee,
        prover,
      }),
      { code: "commitment_not_found" },
    );
  });
}

async function movesNote(
  t: Deno.TestContext,
  { note, prover, relayer, oldPool, chain, newPool, wallet, moved, net }: Scene,
): Promise<void> {
  await t.step(
    "the note is withdrawn from the old pool, and a new note deposited into the successor",
    async () => {
      const request = { network, note, recipient, prover } as const;
      const { status } = await withdrawViaRelayers([relayer], { ...request, pool: oldPool }, {
        pollIntervalMs: 200,
      });
      equal(status.state, "confirmed");
      equal(await oldPool.getIsSpent(note.nullifierHash), true);
      const { leafIndex } = await depositNative({
        chain,
        pool: newPool,
        network,
        wallet,
        note: moved,
        prover,
        pollIntervalMs: 50,
      });
      equal(leafIndex, 0);
      equal(await oldPool.getIsDeposited(moved.commitment), false);
    },
  );

  await t.step(
    "a withdrawal for the old pool is refused by the successor, although its note is unspent there",
    async () => {
      // The new pool has one leaf, as the old one had: only the root distinguishes the proofs.
      await waitUntil(
        "the new pool's leaf is indexed",
        () => net.relayer.readiness().pools[NEW].leaves === 1,
      );
      const again = await net.withdrawal(OLD, note, { recipient });
      const { status, body } = await net.post("/withdraw", { ...again, pool: newPool.address.toString() });
      deepEqual([status >= 400, body.code], [true, "unknown_root"]);
      equal(await newPool.getIsSpent(note.nullifierHash), false);
    },
  );

  await t.step("the same relayer pays the new note from the new pool", async () => {
    const request = { network, note: moved, recipient, prover } as const;
    const { status } = await withdrawViaRelayers([relayer], { ...request, pool: newPool, poolKey: NEW }, {
      pollIntervalMs: 200,
    });
    equal(status.state, "confirmed");
    const { deposits, withdrawals, debt } = await newPool.getPoolInfo();
    deepEqual([deposits, withdrawals, debt], [1, 1, 0n]);
    deepEqual([(await oldPool.getPoolInfo()).withdrawals], [1]);
  });
}
