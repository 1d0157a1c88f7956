import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { beginCell } from "@ton/core";
import { int, slice } from "../../../testkit/simulation/scripted_chain.ts";
import {
  jettonMaster,
  jettonWalletOf,
  poolAddress,
  ScriptedPool,
  testAddress,
  transferNotification,
} from "../../../testkit/simulation/scripted_pool.ts";
import { withdrawalLog } from "../../../testkit/simulation/transactions.ts";
import { exitCodes, Problem } from "../../core/errors/problem.ts";
import { createNote, placeNote } from "../../core/protocol/note.ts";
import { depositComment, storeDepositComment, storeEnqueue } from "../../core/protocol/v2/messages.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import {
  depositByTransfer,
  type TransferDepositRequest,
  type TransferDepositStep,
} from "./deposit_transfer.ts";
import type { Payer } from "./payer.ts";

const owner = testAddress(1);
const ownWallet = jettonWalletOf(owner);
const poolWallet = jettonWalletOf(poolAddress);
const coins = { kind: 2, denomination: 10_000_000_000n } as const;
const jettons = { kind: 3, denomination: 10_000_000n, depositValue: 300_000_000n } as const;
const note = createNote({ asset: "native", amount: "10", network: "localnet", version: 2 });
const jettonNote = createNote({ asset: "jet", amount: "10", network: "localnet", version: 2 });
const jetton = { asset: "jet", decimals: 6, jettonMaster };

function sceneOf(options: typeof coins | typeof jettons) {
  const scene = new ScriptedPool(options);
  scene.getters.get_wallet_data = () => [int(10_000_000n), slice(owner), slice(jettonMaster)];
  scene.accounts[owner.toRawString()] = { balance: 1_000_000_000_000n };
  return scene;
}

function run(scene: ScriptedPool, request: Partial<TransferDepositRequest> = {}) {
  const steps: TransferDepositStep[] = [];
  const { chain, clock } = scene;
  const deposit = depositByTransfer({
    chain,
    clock,
    pool: new V2Pool(chain, poolAddress),
    network: "localnet",
    note,
    pollIntervalMs: 1_000,
    ...request,
    onStep: (step) => void steps.push(step),
  });
  return { deposit, steps };
}

function walletOf(scene: ScriptedPool, onSend: () => void = () => {}) {
  const sent: OutgoingMessage[] = [];
  const wallet = scene.wallet(owner, (messages) => {
    sent.push(...messages);
    onSend();
  });
  return { wallet, sent };
}

const refusal = { exitCode: exitCodes.ERR_PAUSED, body: storeDepositComment(note.commitment) };
const notified = (note: { commitment: bigint }, from = owner) =>
  transferNotification(
    from,
    jettons.denomination,
    storeEnqueue({ queryId: 0n, commitment: note.commitment }),
  );

Deno.test("a wallet pays the denomination once, and the deposit counts when the pool logs it", async () => {
  const scene = sceneOf(coins);
  const { wallet, sent } = walletOf(
    scene,
    () => scene.at(3_000, () => scene.deposit(note.commitment, { from: owner })),
  );
  const { deposit, steps } = run(scene, { wallet });
  const { leafIndex, attempts, depositor } = await deposit;
  deepEqual([leafIndex, attempts, depositor.equals(owner), scene.now], [0, 1, true, 3_000]);
  deepEqual(sent.map(({ to, value }) => [to.equals(poolAddress), value]), [[true, coins.denomination]]);
  equal(sent[0].body!.equals(storeEnqueue({ queryId: 0n, commitment: note.commitment })), true);
  deepEqual(steps.map(({ step }) => step), ["syncing", "sending", "waiting"]);
});

Deno.test("a note that is deposited already is found, and nothing is paid", async () => {
  const scene = sceneOf(coins);
  scene.deposit(99n);
  scene.deposit(note.commitment);
  const { wallet, sent } = walletOf(scene);
  deepEqual([(await run(scene, { wallet }).deposit).leafIndex, sent.length], [1, 0]);
});

Deno.test("a note is refused as used only when all its leaves are spent", async () => {
  const scene = sceneOf(coins);
  const spend = (leafIndex: number) => {
    const { nullifierHash } = placeNote(note, leafIndex);
    const log = { nullifierHash, fee: 0n, refund: 0n, recipient: owner, relayer: null };
    scene.add(poolAddress, { from: owner, logs: [withdrawalLog(log)] });
  };
  scene.deposit(note.commitment);
  scene.deposit(note.commitment);
  scene.settle();
  spend(0);
  equal((await run(scene, walletOf(scene)).deposit).leafIndex, 0);
  spend(1);
  const { wallet, sent } = walletOf(scene);
  await rejects(run(scene, { wallet }).deposit, { code: "nullifier_already_used" });
  equal(sent.length, 0);
});

Deno.test("a payment that the pool returns ends the deposit of the wallet that made it", async () => {
  const scene = sceneOf(coins);
  const { wallet } = walletOf(scene, () => void scene.add(poolAddress, { ...refusal, from: owner }));
  await rejects(run(scene, { wallet }).deposit, { code: "contract_refused", message: /ERR_PAUSED/ });
});

Deno.test("a returned payment of another wallet, or of another note, does not end the deposit", async () => {
  const scene = sceneOf(coins);
  const { wallet } = walletOf(scene, () => {
    scene.add(poolAddress, { ...refusal, from: testAddress(9) });
    scene.add(poolAddress, { ...refusal, from: owner, body: storeDepositComment(99n) });
    scene.deposit(99n);
    scene.at(2_000, () => scene.deposit(note.commitment));
  });
  const { deposit, steps } = run(scene, { wallet });
  equal((await deposit).leafIndex, 1);
  const refused = steps.filter((step) => step.step === "refused");
  deepEqual(refused.map(({ reason, sender }) => [reason, sender.equals(testAddress(9))]), [[
    "ERR_PAUSED",
    true,
  ]]);
});

for (const [asset, graceSeconds] of [["native", 15], ["jet", 60]] as const) {
  Deno.test(`a transfer of ${asset} fails ${graceSeconds} s after its expiry, by chain time`, async () => {
    const scene = sceneOf(asset === "native" ? coins : jettons);
    const paid = asset === "native" ? {} : { note: jettonNote, jetton };
    const { deposit } = run(scene, { ...walletOf(scene), ...paid });
    await rejects(deposit, { code: "payment_timeout", message: /not included in a block in time/ });
    equal(scene.now, (60 + graceSeconds + 1) * 1000);
  });
}

Deno.test("without a wallet the payment is shown, and one from any wallet counts within half an hour", async () => {
  const scene = sceneOf(coins);
  scene.at(1_800_000, () => scene.deposit(note.commitment, { from: testAddress(9) }));
  const { deposit, steps } = run(scene);
  const { depositor } = await deposit;
  equal(depositor.equals(testAddress(9)), true);
  const shown = steps.find((step) => step.step === "payment")!.payment;
  const comment = depositComment(note.commitment);
  const to = poolAddress.toString({ bounceable: true, testOnly: true });
  const url = `ton://transfer/${to}?amount=10000000000&text=${encodeURIComponent(comment)}`;
  deepEqual(shown, { url, to: poolAddress, amount: coins.denomination, comment });
  const late = sceneOf(coins);
  await rejects(run(late).deposit, {
    code: "payment_timeout",
    message: /one that arrives later is accepted/,
  });
  equal(late.now, 1_801_000);
});

Deno.test("after a payment with a comment that the pool could not read, the hint names the wallet it went back to", async () => {
  const scene = sceneOf(coins);
  const mistyped = beginCell().storeUint(0, 32).storeStringTail("tonado:123").endCell();
  scene.at(
    3_000,
    () => scene.add(poolAddress, { from: owner, body: mistyped, exitCode: exitCodes.ERR_MALFORMED }),
  );
  const error = await run(scene).deposit.then(() => undefined, (error: Problem) => error);
  equal(error?.code, "payment_timeout");
  ok(error.hint?.includes(owner.toString({ bounceable: false, testOnly: true })), error.hint);
  match(error.hint!, /could not read the commitment in it/);
});

Deno.test("a payment of jettons is never shown as a link: it needs a wallet or a payer", async () => {
  const { deposit, steps } = run(sceneOf(jettons), { note: jettonNote, jetton });
  await rejects(deposit, { code: "invalid_address" });
  equal(steps.some(({ step }) => step === "payment"), false);
});

Deno.test("a refusal counts only from the pool's own jetton wallet, for the owner that it names", async () => {
  const scene = sceneOf(jettons);
  const paused = { exitCode: exitCodes.ERR_PAUSED, body: notified(jettonNote) };
  const { wallet } = walletOf(scene, () => {
    scene.add(poolAddress, { ...paused, from: testAddress(9) });
    scene.at(3_000, () => void scene.add(poolAddress, { ...paused, from: poolWallet }));
  });
  const { deposit, steps } = run(scene, { wallet, note: jettonNote, jetton });
  await rejects(deposit, { code: "contract_refused", message: /ERR_PAUSED/ });
  equal(scene.now, 3_000);
  equal(steps.some(({ step }) => step === "refused"), false);
});

Deno.test("a deposit ends if its own jetton wallet refuses the transfer, or holds too few jettons", async () => {
  const scene = sceneOf(jettons);
  scene.add(owner, { from: ownWallet, bounced: true }); // an earlier one
  const bounce = () => scene.at(2_000, () => void scene.add(owner, { from: ownWallet, bounced: true }));
  const { deposit } = run(scene, { ...walletOf(scene, bounce), note: jettonNote, jetton });
  await rejects(deposit, { code: "contract_refused", message: /your jetton wallet refused the transfer/ });
  equal(scene.now, 2_000);
  const poor = sceneOf(jettons);
  poor.getters.get_wallet_data = () => [int(9_999_999n), slice(owner), slice(jettonMaster)];
  const { wallet, sent } = walletOf(poor);
  await rejects(run(poor, { wallet, note: jettonNote, jetton }).deposit, { code: "insufficient_funds" });
  equal(sent.length, 0);
});

function payerThat(answer: () => Promise<void>) {
  const requests: { to: string; amount: bigint; validUntil: number }[] = [];
  const payer: Payer = {
    address: owner,
    pay({ to, amount }, { validUntil }) {
      requests.push({ to: to.toRawString(), amount, validUntil });
      return answer();
    },
  };
  return { payer, requests };
}

Deno.test("a payer has five minutes of the chain's time, and only a refusal of its own payment ends the deposit", async () => {
  const scene = sceneOf(coins);
  const start = scene.chainTime;
  const { payer, requests } = payerThat(() => new Promise(() => {}));
  await rejects(run(scene, { payer }).deposit, { code: "payment_timeout" });
  deepEqual(requests, [{
    to: poolAddress.toRawString(),
    amount: coins.denomination,
    validUntil: start + 300,
  }]);
  equal(scene.now, 316_000);
  const returned = sceneOf(coins);
  returned.at(1_000, () => void returned.add(poolAddress, { ...refusal, from: testAddress(9) }));
  returned.at(4_000, () => void returned.add(poolAddress, { ...refusal, from: owner }));
  await rejects(run(returned, payerThat(() => Promise.resolve())).deposit, { code: "contract_refused" });
  equal(returned.now, 4_000);
});

Deno.test("the payer's last error is thrown when its payment has expired", async () => {
  const scene = sceneOf(coins);
  const { payer } = payerThat(() => Promise.reject(new Problem("wallet_unavailable")));
  await rejects(run(scene, { payer }).deposit, { code: "wallet_unavailable" });
  equal(scene.now, 316_000);
});
