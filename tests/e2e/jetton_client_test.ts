/**
 * The client makes a jetton deposit while other deposits interfere, with test keys; contracts are real, and so is the
 * jetton.
 */
import assert from "node:assert/strict";
import { Address, beginCell, TupleReader } from "@ton/core";
import { type DepositStep } from "../../src/client/deposit/deposit_attempts.ts";
import { depositJetton, type JettonDepositRequest } from "../../src/client/deposit/deposit_jetton.ts";
import { commitmentsFromChain } from "../../src/client/tree_sync.ts";
import { buildWithdrawArgs } from "../../src/client/withdrawal/build_withdraw_args.ts";
import { Problem } from "../../src/core/errors/problem.ts";
import { storeJettonTransfer } from "../../src/core/protocol/messages/jetton_messages.ts";
import { opCodes } from "../../src/core/protocol/messages/pool_messages.ts";
import { createNote } from "../../src/core/protocol/note.ts";
import { createProver } from "../../src/prover/prover.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../src/ton/jetton/jetton.ts";
import { Pool } from "../../src/ton/pool/pool.ts";
import { scanPoolTransactions } from "../../src/ton/pool/history/scan.ts";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { openWallet, type OutgoingMessage, type Wallet } from "../../src/ton/wallet/wallet.ts";
import { startTestLocalnet } from "../../testkit/localnet/test_localnet.ts";
import { useTrapdoorKeys } from "../../testkit/localnet/use_trapdoor_keys.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { omit } from "../../src/core/omit.ts";

const network = "localnet";
await useTrapdoorKeys();
const localnet = await startTestLocalnet({ blockTimeMs: 0, pools: ["1"], jettonPools: ["10"] });
const chain = connect({ endpoint: localnet.url });
const pool = new Pool(chain, localnet.deployments.pools.get("jet-10")!.address);
const nativePool = new Pool(chain, localnet.deployments.pools.get("native-1")!.address);
const prover = await createProver({ maxWorkers: 2 });
const [alice, bob] = await Promise.all(
  localnet.wallets.slice(0, 2).map(({ mnemonic, version }) =>
    openWallet(mnemonic, { version, network, chain })
  ),
);
const { asset, decimals, master } = localnet.jetton;
const jetton = { asset, decimals, jettonMaster: master };
const common = { chain, pool, network, prover, jetton, pollIntervalMs: 50 } as const;
const freshNote = () => createNote({ asset, amount: "10", network });
const held = async (owner: Address) =>
  (await fetchJettonWalletData(chain, await fetchJettonWalletAddress(chain, master, owner)))?.balance ?? 0n;
const code = (expected: string, message = /./) => (error: unknown) => {
  assert.ok(error instanceof Problem && error.code === expected, String(error));
  assert.match(error.message, message);
  return true;
};
const DENOMINATION = 10_000_000n;

const mine = freshNote();

Deno.test("a jetton deposit whose leaf was taken is returned, and is proved and sent again automatically", async () => {
  const proving = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const steps: DepositStep[] = [];
  const before = await held(bob.address);
  const slow: Wallet = { ...bob, send: async (messages) => (await taken.promise, bob.send(messages)) };
  const loser = depositJetton({
    ...common,
    wallet: slow,
    note: freshNote(),
    onStep: (step) => {
      steps.push(step);
      if (step.step === "proving") proving.resolve();
    },
  });
  await proving.promise; // for leaf 0
  const winner = await depositJetton({ ...common, wallet: alice, note: mine });
  taken.resolve();
  assert.deepEqual([winner.leafIndex, winner.attempts], [0, 1]);
  const { leafIndex, attempts } = await loser;
  assert.deepEqual([leafIndex, attempts], [1, 2]);
  assert.equal(steps.filter(({ step }) => step === "lost").length, 1);
  assert.equal(await held(bob.address), before - DENOMINATION, "paid once");
  assert.equal(await held(pool.address), 2n * DENOMINATION);
});

Deno.test("the scan reports deposits with their jettons' owners, and the refused one with its exit code", async () => {
  const reported: unknown[] = [];
  for await (const { events } of scanPoolTransactions(chain, pool.address)) {
    for (const event of events) {
      if (event.kind !== "deposit" && event.kind !== "refused") continue;
      const who = event.depositor?.equals(alice.address) ? "alice" : "bob";
      reported.push([event.kind, who, event.kind === "refused" ? event.exitCode : event.leafIndex]);
    }
  }
  assert.deepEqual(reported, [["deposit", "alice", 0], ["refused", "bob", 103], ["deposit", "bob", 1]]);
});

Deno.test("a note that is deposited already is found, not paid for again", async () => {
  const before = await held(alice.address);
  const { leafIndex } = await depositJetton({ ...common, wallet: alice, note: mine });
  assert.equal(leafIndex, 0);
  assert.equal(await held(alice.address), before);
});

/** Returns `wallet` with its messages altered in transit. */
function altering(wallet: Wallet, alter: (message: OutgoingMessage) => OutgoingMessage): Wallet {
  return { ...wallet, send: (messages) => wallet.send(messages.map(alter)) };
}

/** Returns the deposit with another amount of jettons. */
function withAmount(message: OutgoingMessage, amount: bigint): OutgoingMessage {
  const slice = message.body!.beginParse().skip(32 + 64);
  slice.loadCoins();
  return {
    ...message,
    body: storeJettonTransfer({
      queryId: 0n,
      amount,
      destination: slice.loadAddress(),
      responseDestination: slice.loadAddress(),
      forwardAmount: (slice.loadBit(), slice.loadCoins()),
      forwardPayload: slice.loadMaybeRef(),
    }),
  };
}

Deno.test("a deposit that the pool refuses comes back, and the depositor learns the code", async () => {
  const before = await held(alice.address);
  const short = altering(alice, (message) => withAmount(message, DENOMINATION - 1n));
  await assert.rejects(
    depositJetton({ ...common, wallet: short, note: freshNote() }),
    (error) =>
      code("contract_refused", /refused the deposit: ERR_WRONG_DENOMINATION; the payment was returned/)(
        error,
      ) &&
      (error as Problem).members.exitCode === 101,
  );
  assert.equal(await held(alice.address), before, "at once, with the error");
});

Deno.test("a transfer that the depositor's own jetton wallet rejects is reported as such", async () => {
  const before = await held(alice.address);
  const greedy = altering(alice, (message) => withAmount(message, before + 1n));
  await assert.rejects(
    depositJetton({ ...common, wallet: greedy, note: freshNote() }),
    code("contract_refused", /your jetton wallet refused the transfer/),
  );
  assert.equal(await held(alice.address), before);
});

Deno.test("a notification forged in the depositor's name is no refusal of the deposit", async () => {
  const note = freshNote();
  const forged: Wallet = {
    ...alice,
    async send(messages) {
      const deposit = messages[0].body!.beginParse().loadRef();
      const body = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
        .storeCoins(DENOMINATION).storeAddress(alice.address).storeMaybeRef(deposit).endCell();
      const before = (await chain.account(pool.address)).last!.lt;
      await bob.send([{ to: pool.address, value: 300_000_000n, bounce: true, body }]);
      await waitUntil(
        "the pool has answered the forgery",
        async () => (await chain.account(pool.address)).last!.lt > before,
      );
      return await alice.send(messages);
    },
  };
  const { attempts } = await depositJetton({ ...common, wallet: forged, note });
  assert.equal(attempts, 1);
  const codes: unknown[] = [];
  for await (const { events } of scanPoolTransactions(chain, pool.address)) {
    for (const event of events) {
      if (event.kind === "refused" && event.commitment === note.commitment) codes.push(event.exitCode);
    }
  }
  assert.deepEqual(codes, [106]);
});

Deno.test("without the jettons, or without coins for the way, nothing is sent", async () => {
  const { mnemonic, version } = localnet.relayer; // has coins only
  const poor = await openWallet(mnemonic, { version, network, chain });
  const request = { ...common, note: freshNote() };
  await assert.rejects(
    depositJetton({ ...request, wallet: poor }),
    code("insufficient_funds", /holds 0 jet/),
  );
  const words = mnemonic.split(" ").reverse().join(" ");
  const broke = await openWallet(words, { version, network, chain });
  await localnet.fundJetton(broke.address, DENOMINATION);
  await waitUntil("the jettons are there", async () => await held(broke.address) > 0n);
  await assert.rejects(
    depositJetton({ ...request, wallet: broke }),
    code("insufficient_funds", /holds [0-9.]+ GRAM/),
  );
  assert.deepEqual([await poor.seqno(), await broke.seqno()], [0, 0]);
});

const of = (change: object) => createNote({ asset, amount: "10", network, ...change });
const misfits: [string, Partial<JettonDepositRequest>][] = [
  ["another denomination", { note: of({ amount: "1" }) }],
  ["the amount in other decimals", { note: of({ amount: "0.01" }) }],
  ["another network", { note: of({ network: "mainnet" }) }],
  ["another asset", { note: of({ asset: "usdt" }) }],
  ["the native coin", { note: of({ asset: "native" }) }],
  ["a jetton of the same name and another master", { jetton: { ...jetton, jettonMaster: bob.address } }],
  ["a jetton of other decimals", { jetton: { ...jetton, decimals: 9 } }],
  ["a jetton, for a native pool", { pool: nativePool }],
];
for (const [name, change] of misfits) {
  Deno.test(`a note of ${name} is refused for deposit and for withdrawal, before anything is sent`, async () => {
    const request = { ...common, wallet: alice, note: freshNote(), ...change };
    const seqno = await alice.seqno();
    await assert.rejects(depositJetton(request), code("wrong_pool"));
    assert.equal(await alice.seqno(), seqno);
    const source = commitmentsFromChain(chain, request.pool.address);
    const withdrawal = { ...request, source, recipient: bob.address, relayer: null, fee: 0n };
    await assert.rejects(buildWithdrawArgs(withdrawal), code("wrong_pool"));
  });
}

Deno.test("a jetton note requires the name of its jetton", async () => {
  const request = omit(common, "jetton");
  const source = commitmentsFromChain(chain, pool.address);
  const rest = { source, note: mine, recipient: bob.address, relayer: null, fee: 0n };
  await assert.rejects(buildWithdrawArgs({ ...request, ...rest }), code("wrong_pool", /no jetton was given/));
});

Deno.test("nothing is sent to a pool that trusts another wallet than its master's", async () => {
  const lied: typeof chain = {
    ...chain,
    async runGetMethod(address, method, args, options) {
      const stack = await chain.runGetMethod(address, method, args, options);
      if (method !== "get_wallet_address") return stack;
      return new TupleReader([{ type: "slice", cell: beginCell().storeAddress(bob.address).endCell() }]);
    },
  };
  const request = { ...common, chain: lied, wallet: alice, note: freshNote() };
  await assert.rejects(depositJetton(request), code("wrong_pool", /the pool accepts deposits from/));
});

Deno.test("payees that a jetton pool does not pay are refused before anything is proved", async () => {
  const source = commitmentsFromChain(chain, pool.address);
  const request = { ...common, source, note: mine, fee: 0n } as const;
  const poolWallet = await fetchJettonWalletAddress(chain, master, pool.address);
  const prove = (recipient: Address, relayer: Address | null) =>
    buildWithdrawArgs({ ...request, recipient, relayer });
  const masterchain = Address.parse(`-1:${"11".repeat(32)}`);
  await assert.rejects(prove(masterchain, null), code("invalid_address"));
  for (const party of [masterchain, pool.address, poolWallet]) {
    await assert.rejects(prove(bob.address, party), code("invalid_address"));
  }
  for (const recipient of [pool.address, poolWallet, master]) {
    await assert.rejects(prove(recipient, null), code("unpayable_recipient"));
  }
});

Deno.test("a direct withdrawal of jettons without a relayer pays the whole denomination", async () => {
  const recipient = Address.parse(`0:${"3c".repeat(32)}`);
  const source = commitmentsFromChain(chain, pool.address);
  const args = await buildWithdrawArgs({
    ...common,
    note: mine,
    source,
    recipient,
    relayer: null,
    fee: 0n,
  });
  await pool.sendWithdraw(bob.sender(), {
    root: BigInt(args.publicSignals[0]),
    nullifierHash: mine.nullifierHash,
    fee: 0n,
    refund: 0n,
    recipient,
    relayer: null,
    proof: args.proof,
  });
  await waitUntil("it is paid", async () => await held(recipient) === DENOMINATION);
  assert.equal(await pool.getIsSpent(mine.nullifierHash), true);
});

Deno.test("the localnet and the prover end", async () => {
  prover.close();
  await localnet.close();
});
