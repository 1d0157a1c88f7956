import { deepEqual, equal, rejects } from "node:assert/strict";
import { beginCell, Cell, Dictionary } from "@ton/core";
import {
  emptyProverOf,
  poolAddress,
  ScriptedPool,
  type ScriptedPoolOptions,
  testAddress,
} from "../../../testkit/simulation/scripted_pool.ts";
import { withdrawalLog } from "../../../testkit/simulation/transactions.ts";
import { baseProof } from "../../../testkit/simulation/requests.ts";
import { exitCodes } from "../../core/errors/problem.ts";
import { proofToCell } from "../../core/crypto/proof_codec.ts";
import { loadWithdraw, storeWithdraw } from "../../core/protocol/messages/pool_messages.ts";
import { createNote, type Note, placeNote } from "../../core/protocol/note.ts";
import { loadWithdraw2, storeWithdraw2 } from "../../core/protocol/v2/messages.ts";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import { openPool } from "../../ton/pool/any_pool.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import { commitmentsFromChain } from "../tree_sync.ts";
import { withdrawSelf } from "./self_withdrawal.ts";

const owner = testAddress(1);
const recipient = testAddress(3);
const note = createNote({ asset: "native", amount: "10", network: "localnet" });
const note2 = createNote({ asset: "native", amount: "10", network: "localnet", version: 2 });
const WITHDRAW_VALUE = 100_000_000n;
/** A quarter more than the pool reports, and the fee of the transfer. */
const NEEDED_NANO = 125_000_000n + 20_000_000n;

function sceneWith(options: Partial<ScriptedPoolOptions> = {}, nano = NEEDED_NANO) {
  const scene = new ScriptedPool({
    kind: 0,
    denomination: 10_000_000_000n,
    withdrawValue: WITHDRAW_VALUE,
    ...options,
  });
  scene.accounts[owner.toRawString()] = { balance: nano };
  return scene;
}

function withdraw(scene: ScriptedPool, note: Note, onSend: (sent: number) => void = () => {}) {
  const sent: OutgoingMessage[] = [];
  const wallet = scene.wallet(owner, (messages) => onSend(sent.push(...messages)));
  const pool = openPool(scene.chain, poolAddress, note.version);
  const { chain, clock } = scene;
  const prover = emptyProverOf(note.version);
  const { proveWithdraw2 } = prover;
  let proofs = 0;
  prover.proveWithdraw2 = (...args) => {
    proofs++;
    return proveWithdraw2(...args);
  };
  const result = withdrawSelf({
    chain,
    pool,
    wallet,
    note,
    recipient,
    clock,
    prover,
    network: "localnet",
    source: commitmentsFromChain(chain, poolAddress, note.version),
    pollIntervalMs: 1_000,
  });
  return { result, sent, countProofs: () => proofs };
}

function pay(scene: ScriptedPool, { nullifierHash }: Pick<Note, "nullifierHash">) {
  const log = { nullifierHash, fee: 0n, refund: 0n, recipient, relayer: null };
  scene.spent.add(nullifierHash);
  return scene.add(poolAddress, { from: owner, logs: [withdrawalLog(log)] });
}

function refuse(scene: ScriptedPool, from: typeof owner, { nullifierHash }: Pick<Note, "nullifierHash">) {
  const body = storeWithdraw({
    queryId: 0n,
    root: 1n,
    nullifierHash,
    fee: 0n,
    refund: 0n,
    recipient,
    relayer: null,
    proof: proofToCell(baseProof),
  });
  scene.add(poolAddress, { from, body, exitCode: exitCodes.ERR_UNKNOWN_ROOT });
}

Deno.test("a withdrawal without a relayer pays no fee, carries a quarter more gas than the quote and ends with the payment", async () => {
  const scene = sceneWith();
  scene.deposit(note.commitment);
  let paid: unknown;
  const { result, sent } = withdraw(scene, note, () => {
    pay(scene, { nullifierHash: 5n }); // another note
    scene.at(4_000, () => paid = pay(scene, note));
  });
  deepEqual(await result, paid);
  equal(scene.now, 4_000);
  const [{ to, value, body }] = sent;
  deepEqual([to.equals(poolAddress), value], [true, 125_000_000n]);
  const { fee, refund, relayer, root, nullifierHash, ...order } = loadWithdraw(body!);
  deepEqual([fee, refund, relayer, root, nullifierHash], [0n, 0n, null, scene.tree.root, note.nullifierHash]);
  equal(order.recipient.equals(recipient), true);
});

Deno.test("a wallet with one nano less than the withdrawal needs sends nothing", async () => {
  const scene = sceneWith({}, NEEDED_NANO - 1n);
  scene.deposit(note.commitment);
  const { result, sent } = withdraw(scene, note);
  await rejects(result, {
    code: "insufficient_funds",
    message: /holds 0\.144999999 .*, the withdrawal needs 0\.145 /,
  });
  equal(sent.length, 0);
});

Deno.test("a refusal of this wallet's message ends the withdrawal, and a refusal of another wallet's does not", async () => {
  const scene = sceneWith();
  scene.deposit(note.commitment);
  const { result } = withdraw(scene, note, () => {
    refuse(scene, testAddress(9), note);
    refuse(scene, owner, { nullifierHash: 5n });
    scene.at(3_000, () => refuse(scene, owner, note));
  });
  await rejects(result, { code: "contract_refused", message: /refused the withdrawal: ERR_UNKNOWN_ROOT$/ });
  equal(scene.now, 3_000);
});

Deno.test("a withdrawal fails 15 s after its transfer has expired, by chain time", async () => {
  const scene = sceneWith();
  scene.deposit(note.commitment);
  await rejects(withdraw(scene, note).result, { code: "chain_unavailable", message: /the note is unspent/ });
  equal(scene.now, 76_000);
});

Deno.test("a spent note, or one that the pool does not have, is not sent", async () => {
  const scene = sceneWith();
  scene.deposit(99n);
  const unknown = withdraw(scene, note);
  await rejects(unknown.result, { code: "commitment_not_found" });
  scene.deposit(note.commitment);
  scene.spent.add(note.nullifierHash);
  const spent = withdraw(scene, note);
  await rejects(spent.result, { code: "nullifier_already_used" });
  deepEqual([unknown.sent.length, spent.sent.length], [0, 0]);
});

function settledScene() {
  const scene = sceneWith({ kind: 2 });
  scene.deposit(note2.commitment);
  scene.settle();
  const placed = placeNote(note2, 0);
  const refuseSlot = () => {
    const { nullifierHash } = placed;
    const order = {
      rootNumber: 0,
      root: scene.tree.root,
      nullifierHash,
      fee: 0n,
      refund: 0n,
      recipient,
      relayer: null,
    };
    const body = storeWithdraw2({ ...order, carried: null, proof: proofToCell(baseProof) }, 0n);
    scene.add(poolAddress, { from: owner, body, exitCode: exitCodes.ERR_STALE_SLOT });
  };
  return { scene, placed, refuseSlot };
}

Deno.test("a withdrawal whose slot another one changed first is sent again, with the same proof and the slot's new path", async () => {
  const { scene, placed, refuseSlot } = settledScene();
  const { result, sent, countProofs } = withdraw(scene, note2, (count) => {
    if (count === 1) refuseSlot();
    else pay(scene, placed);
  });
  await result;
  deepEqual([sent.length, countProofs()], [2, 1]);
  const { nullifierHash, rootNumber, fee } = loadWithdraw2(sent[1].body!);
  deepEqual([nullifierHash, rootNumber, fee], [placed.nullifierHash, 0, 0n]);
});

Deno.test("a withdrawal whose slot changes six times fails", async () => {
  const { scene, refuseSlot } = settledScene();
  const { result, sent } = withdraw(scene, note2, refuseSlot);
  await rejects(result, { code: "contract_refused", message: /ERR_STALE_SLOT/ });
  equal(sent.length, 6);
});

Deno.test("a deposit that waits for its settlement, or that is not in the logs, cannot be withdrawn", async () => {
  const scene = sceneWith({ kind: 2 });
  const missing = withdraw(scene, note2);
  await rejects(missing.result, { code: "commitment_not_found", message: /not in the pool's logs/ });
  scene.deposit(note2.commitment);
  const waiting = withdraw(scene, note2);
  await rejects(waiting.result, {
    code: "commitment_not_found",
    message: /waits as leaf 0 for its settlement/,
  });
  deepEqual([missing.sent.length, waiting.sent.length], [0, 0]);
});

Deno.test("nothing is sent to a pool that owes so much for storage that the message would freeze it", async () => {
  const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());
  let data = Cell.EMPTY;
  for (let i = 0; i < 200; i++) data = beginCell().storeUint(i, 32).storeRef(data).endCell();
  for (const [balance, isSent] of [[10_000_000n, false], [300_000_000n, true]] as const) {
    const scene = sceneWith();
    scene.deposit(note.commitment);
    Object.assign(scene.chain, { configParam: (id: number) => Promise.resolve(config.get(id)!) });
    scene.pass(20 * 31_557_600_000);
    scene.accounts[poolAddress.toRawString()] = { balance, code: Cell.EMPTY, data };
    const { result, sent } = withdraw(scene, note, () => pay(scene, note));
    if (isSent) await result;
    else {
      await rejects(result, {
        code: "contract_refused",
        message: /owes 0\.2\d+ GRAM for storage: this message/,
      });
    }
    equal(sent.length, Number(isSent));
  }
});
