/**
 * Callers of `wallet.send` on a local network whose endpoint answers each message too late, so that the wallet refuses
 * its repeat. The tests of `pool retry`, `pool rescue`, `settle` and the thaw helper use such an endpoint as well.
 */
import { deepEqual, equal, match } from "node:assert/strict";
import { Address } from "@ton/core";
import { depositNative } from "../../../src/client/deposit/deposit_native.ts";
import { depositByTransfer } from "../../../src/client/deposit/deposit_transfer.ts";
import { commitmentsFromChain } from "../../../src/client/tree_sync.ts";
import { withdrawSelf } from "../../../src/client/withdrawal/self_withdrawal.ts";
import { createNote } from "../../../src/core/protocol/note.ts";
import { startLocalnet } from "../../../src/localnet/localnet.ts";
import { deployPool, type TrialOutcome } from "../../../src/ops/deploy/deploy.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { V2Pool } from "../../../src/ton/pool/v2/pool.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { startTestLocalnet } from "../../../testkit/localnet/test_localnet.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { FaultySends, type SendFault, sendFaults } from "../../support/endpoint/faulty_sends.ts";
import { testClock } from "../../support/endpoint/scripted_endpoint.ts";

const network = "localnet";
const stranger = new Address(0, Buffer.alloc(32, 0xab));

async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = await startTestLocalnet({ blockTimeMs: 0, pools: ["1"], version2Pools: ["10"] });
  stack.defer(() => net.close());
  let attempts = 0;
  const sends = new FaultySends(() => attempts++ % 2 === 0 ? "answered too late" : "none");
  const chain = connect({ network, endpoint: net.url, fetch: sends.fetch, clock: testClock() });
  const [{ mnemonic, version }] = net.wallets;
  const wallet = await openWallet(mnemonic, { version, network, chain });
  const addressOf = (key: string) => net.deployments.pools.get(key)!.address;
  const open = stack.move();
  return { net, sends, chain, wallet, addressOf, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

const callers: [name: string, sends: number, run: (scene: Scene) => Promise<void>][] = [
  ["a deployment with a request to the jetton's master and two trials", 4, async ({ net, chain, wallet }) => {
    const outcomes: TrialOutcome[] = [];
    await deployPool({
      chain,
      wallet,
      network,
      asset: "jet",
      amount: "2.5",
      owner: null,
      jetton: { master: net.jetton.master, decimals: 6 },
      pollIntervalMs: 1,
      onTrial: (outcome) => outcomes.push(outcome),
    });
    deepEqual(outcomes, ["returned"]);
  }],
  ["a deposit and a withdrawal without a relayer, version 1", 2, async ({ chain, wallet, addressOf }) => {
    const prover = await createProver({ maxWorkers: 1 });
    try {
      const pool = new Pool(chain, addressOf("native-1"));
      const note = createNote({ asset: "native", amount: "1", network });
      const request = { chain, pool, network, note, wallet, prover, pollIntervalMs: 1 } as const;
      const { attempts } = await depositNative(request);
      equal(attempts, 1);
      await withdrawSelf({
        ...request,
        source: commitmentsFromChain(chain, pool.address),
        recipient: stranger,
      });
      equal(await pool.getIsSpent(note.nullifierHash), true);
    } finally {
      prover.close();
    }
  }],
  ["a deposit, version 2", 1, async ({ chain, wallet, addressOf }) => {
    const pool = new V2Pool(chain, addressOf("native-10-v2"));
    const note = createNote({ asset: "native", amount: "10", network, version: 2 });
    const { leafIndex } = await depositByTransfer({ chain, pool, network, note, wallet, pollIntervalMs: 1 });
    equal(leafIndex, 0);
  }],
];

Deno.test("no caller takes the refusal of a repeated message for the outcome", async (t) => {
  await using scene = await openScene();
  for (const [name, count, run] of callers) {
    await t.step(name, async () => {
      scene.sends.refusals.length = 0;
      await run(scene);
      equal(scene.sends.refusals.length, count, "the wallet refuses the repeat of each message");
    });
  }
});

Deno.test("localnet pay succeeds after the refusal of a copy, and fails if the wallet has not paid", async () => {
  const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
  try {
    let fault: SendFault = "answered by the second of two nodes";
    const sends = new FaultySends(() => fault);
    await using endpoint = sends.serve(net.url);
    const chain = connect({ endpoint: net.url });
    const link = `ton://transfer/${stranger.toString({ bounceable: false, testOnly: true })}?amount=5`;
    const pay = () => runCli(["localnet", "pay", link, "--endpoint", endpoint.url]);
    const paid = await pay();
    deepEqual([paid.code, sends.refusals.length], [0, 1], paid.stderr);
    equal((await chain.account(stranger)).balance, 5n);

    fault = async () => {
      await net.setNow((await chain.account(stranger)).syncUtime + 76);
      return await sendFaults["accepted and dropped"]();
    };
    const { code, stderr } = await pay();
    equal(code, 3);
    match(stderr, /did not accept the transfer before it expired/);
  } finally {
    await net.close();
  }
});
