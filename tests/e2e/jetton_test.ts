/** Notes of a jetton pool on a localnet, from the deposit through the relayer to the payment. All parts are real. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { depositJetton } from "../../src/client/deposit/deposit_jetton.ts";
import { RelayerClient } from "../../src/client/relayer/relayer_client.ts";
import { commitmentsFromRelayer } from "../../src/client/tree_sync.ts";
import { buildWithdrawArgs } from "../../src/client/withdrawal/build_withdraw_args.ts";
import { opCodes } from "../../src/core/protocol/messages/pool_messages.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { createNote, type Note } from "../../src/core/protocol/note.ts";
import { ReturnedCoins } from "../../src/relay/monitoring/returned_coins.ts";
import { estimateWithdrawalCost } from "../../src/ton/pool/withdrawal_cost.ts";
import { incomingMessagesSince } from "../../src/ton/wallet/incoming_messages.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../src/ton/jetton/jetton.ts";
import { fetchNetworkPrices } from "../../src/ton/network_prices.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "jet-10";
const DENOMINATION = 10_000_000n; // the jetton has 6 decimals
const FEE = 50_000n; // 0.5 %
const REFUND = 100_000_000n;
const network = "localnet";
const fresh = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** Starts a local network with a relayer, and prepares two notes of a jetton pool. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start());
  const { master, asset, decimals } = net.localnet.jetton;
  const jetton = { asset, decimals, jettonMaster: master };
  const pool = net.contract(KEY);
  const walletOf = (owner: Address) => fetchJettonWalletAddress(net.chain, master, owner);
  const jettonBalance = async (owner: Address) =>
    (await fetchJettonWalletData(net.chain, await walletOf(owner)))?.balance ?? 0n;
  const coinBalance = async (address: Address) => (await net.chain.account(address)).balance;
  const client = new RelayerClient("http://relayer", { fetch: (input, init) => net.request(input, init) });
  const status = (note: Note) => ({
    pool: pool.address.toString(),
    nullifierHash: fieldToHex(note.nullifierHash),
  });
  const recipient = fresh(0x91);
  const freshNote = () => createNote({ asset, amount: "10", network });
  const notes = [freshNote(), freshNote()];
  const gift = { recipient, fee: FEE, refund: REFUND };
  const open = stack.move();
  return {
    jettonBalance,
    net,
    coinBalance,
    pool,
    jetton,
    notes,
    client,
    asset,
    master,
    decimals,
    walletOf,
    gift,
    status,
    recipient,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("jettons: from deposit to payment through the relayer", async (t) => {
  await using scene = await openScene();
  await depositsExactly(t, scene);
  await t.step(
    "a request that the operator's policy or the pool would refuse is refused before anything is sent",
    () => refusesByPolicy(scene),
  );
  await t.step(
    "the relayer pays the recipient and itself in jettons, and the refund in coins, to the unit",
    () => paysInJettons(scene),
  );
  await refusesSpentNote(t, scene);
});

async function depositsExactly(
  t: Deno.TestContext,
  { jettonBalance, net, coinBalance, pool, jetton, notes, client, asset, master, decimals }: Scene,
): Promise<void> {
  await t.step("a deposit costs exactly the denomination, and the unused coins are returned", async () => {
    const before = {
      jettons: await jettonBalance(net.user.address),
      coins: await coinBalance(net.user.address),
    };
    const common = { chain: net.chain, pool, network, jetton, wallet: net.user, prover: net.prover } as const;
    const { leafIndex, attempts } = await depositJetton({ ...common, note: notes[0], pollIntervalMs: 50 });
    deepEqual([leafIndex, attempts], [0, 1]);
    equal(await jettonBalance(net.user.address), before.jettons - DENOMINATION);
    equal(await jettonBalance(pool.address), DENOMINATION);
    await waitUntil(
      "the excesses are returned",
      async () => before.coins - await coinBalance(net.user.address) < 50_000_000n,
    );
    await depositJetton({ ...common, note: notes[1], pollIntervalMs: 50 });
    for (const { commitment } of notes) net.tree(KEY).append(commitment);
    await net.untilIndexed(KEY);
  });

  await t.step("/pools names the jetton, its fee floor and its refund limit", async () => {
    const { pools } = await client.pools();
    const { asset: assetName, amount, denomination, feeMin, maxRefund, ...rest } = pools[KEY];
    deepEqual([assetName, amount, denomination, feeMin, maxRefund], [asset, "10", DENOMINATION, 0n, REFUND]);
    ok(rest.jettonMaster?.equals(master) && rest.decimals === decimals);
    equal(await client.feeFloor(KEY), FEE);
  });
}

async function refusesByPolicy({ walletOf, pool, net, gift, notes }: Scene): Promise<void> {
  const poolWallet = await walletOf(pool.address);
  const cases: [string, Parameters<typeof net.withdrawal>[2], code: string, pointer?: string][] = [
    ["a fee one unit below the floor", { ...gift, fee: FEE - 1n }, "fee_below_floor"],
    ["a fee of the denomination", { ...gift, fee: DENOMINATION }, "fee_not_below_denomination"],
    ["a refund one nano above the limit", { ...gift, refund: REFUND + 1n }, "refund_above_limit"],
    [
      "a recipient on the masterchain",
      { ...gift, recipient: new Address(-1, Buffer.alloc(32, 1)) },
      "invalid_request",
      "/recipient",
    ],
    ["the pool's own jetton wallet", { ...gift, recipient: poolWallet }, "invalid_request", "/recipient"],
  ];
  const [{ proof }, seqno] = [await net.withdrawal(KEY, notes[0], gift), await net.store.transfer()];
  for (const [what, choice, code, pointer] of cases) {
    // The policy is checked before the proof, so any proof is sufficient.
    const { body } = await net.post("/withdraw", { ...net.unproved(KEY, notes[0], choice), proof });
    equal(body.code, code, what);
    if (pointer) equal(body.errors[0].pointer, pointer, what);
  }
  equal(await net.store.transfer(), seqno);
}

async function paysInJettons(
  { coinBalance, net, pool, client, gift, notes, jetton, status, jettonBalance, recipient }: Scene,
): Promise<void> {
  const before = { relayer: await coinBalance(net.relayerAddress), pool: await coinBalance(pool.address) };
  const sentAt = (await net.chain.account(net.relayerAddress)).last;
  const quoted = estimateWithdrawalCost(await fetchNetworkPrices(net.chain), await pool.getPoolInfo());
  const { relayerAddress } = await client.status();
  const args = await buildWithdrawArgs({
    ...gift,
    pool,
    network,
    note: notes[0],
    jetton,
    source: commitmentsFromRelayer(client, pool.address),
    relayer: relayerAddress,
    prover: net.prover,
  });
  equal((await client.withdraw(args)).state, "sent");
  const done = await net.untilState(status(notes[0]), "confirmed", "failed", "expired");
  deepEqual([done.state, done.reason], ["confirmed", null]);
  await waitUntil(
    "the transfers have arrived",
    async () => await jettonBalance(recipient) > 0n && await jettonBalance(net.relayerAddress) > 0n,
  );
  equal(await jettonBalance(recipient), DENOMINATION - FEE);
  equal(await jettonBalance(net.relayerAddress), FEE);
  equal(await coinBalance(recipient), REFUND);
  equal(await jettonBalance(pool.address), DENOMINATION);
  equal(await pool.getIsSpent(notes[0].nullifierHash), true);

  await waitUntil("both transfers have returned their excesses", async () => {
    const bodies = (await incomingMessagesSince(net.chain, net.relayerAddress, sentAt)).map(({ body }) =>
      body
    );
    return bodies.filter((body) =>
      body.bits.length >= 32 && body.beginParse().loadUint(32) === opCodes.excesses
    ).length === 2;
  });
  const cost = before.relayer - await coinBalance(net.relayerAddress) - REFUND;
  ok(cost <= quoted && 2n * cost > quoted, `estimated ${quoted}, cost ${cost}`);
  ok(await coinBalance(pool.address) >= before.pool, "the withdrawal costs the pool no coins");

  const id = pool.address.toRawString();
  const { chain, store } = net;
  const returned = new ReturnedCoins(new Set([id]), {
    chain,
    store,
    wallet: { address: net.relayerAddress },
  });
  await waitUntil("the transfer has ended", async () => await store.transfer() === undefined);
  await returned.step(new AbortController().signal);
  const booked = (await Array.fromAsync(store.ledger(0, Number.MAX_SAFE_INTEGER)))
    .filter((entry) => entry.pool === id);
  equal(booked.reduce((gas, entry) => gas + entry.gas, 0n), cost, "the ledger has the exact cost");
  equal(booked.reduce((sum, { refund }) => sum + refund, 0n), REFUND);
  equal(booked.filter(({ gas }) => gas < 0n).length, 2);
}

async function refusesSpentNote(
  t: Deno.TestContext,
  { net, notes, gift, pool, status, jettonBalance }: Scene,
): Promise<void> {
  await t.step("the same note again is refused, with its payment in the answer", async () => {
    const again = await net.post("/withdraw", await net.withdrawal(KEY, notes[0], gift));
    deepEqual([again.status, again.body.code], [409, "nullifier_already_used"]);
    equal(again.body.withdrawal.state, "confirmed");
  });

  await t.step(
    "a limit on the cost, refund included, refuses only withdrawals above it",
    async () => {
      const cost = estimateWithdrawalCost(await fetchNetworkPrices(net.chain), await pool.getPoolInfo());
      const body = await net.withdrawal(KEY, notes[1], { ...gift, recipient: fresh(0x92) });
      for (const [maxCostNano, code] of [[cost + REFUND - 1n, 503], [cost + REFUND, 200]] as const) {
        await net.relayer.close();
        await net.startRelayer({ maxCostNano });
        await net.untilIndexed(KEY);
        const { status: answered, body: answer } = await net.post("/withdraw", body);
        equal(answered, code, JSON.stringify(answer));
        if (code === 503) deepEqual([answer.code, answer.cost], ["fee_below_cost", String(cost)]);
      }
      equal((await net.untilState(status(notes[1]), "confirmed", "failed", "expired")).state, "confirmed");
      await waitUntil("it is paid", async () => await jettonBalance(fresh(0x92)) === DENOMINATION - FEE);
      equal(await jettonBalance(pool.address), 0n);
    },
  );
}

Deno.test("jettons: a pool that is not the registered one is refused by name", async (t) => {
  await using net = await RelayerHarness.start({ relayer: false });
  const entry = net.pool(KEY);
  const cases: [what: string, change: Partial<typeof entry>, reason: RegExp][] = [
    ["another master", { jettonMaster: fresh(1) }, /its jetton is .*, not /],
    ["another jetton wallet", { jettonWallet: fresh(2) }, /its jetton wallet is .*, not /],
    ["the native coin", { asset: "native" }, /it holds jetton, not native/],
  ];
  for (const [what, change, reason] of cases) {
    await t.step(what, async () => {
      const pools = new Map([[KEY, { ...entry, ...change }]]);
      await net.startRelayer({ deployments: { network, pools } });
      const readiness = () => net.relayer.readiness().pools[KEY];
      await waitUntil("it is refused", () => {
        const state = readiness();
        return !state.ready && reason.test(state.reason);
      });
      deepEqual((await net.get("/pools")).body.pools, {});
      await net.relayer.close();
    });
  }
});
