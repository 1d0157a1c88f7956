/** What a pool that accepts no deposit, or a forged notification, means for each way to pay. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import {
  emptyProver,
  jettonMaster,
  jettonWalletOf,
  poolAddress,
  ScriptedPool,
  testAddress,
  transferNotification,
} from "../../../../testkit/simulation/scripted_pool.ts";
import { baseProof } from "../../../../testkit/simulation/requests.ts";
import { int } from "../../../../testkit/simulation/scripted_chain.ts";
import { proofToCell } from "../../../core/crypto/proof_codec.ts";
import { exitCodes } from "../../../core/errors/problem.ts";
import { storeDeposit } from "../../../core/protocol/messages/pool_messages.ts";
import { createNote, formatNote } from "../../../core/protocol/note.ts";
import { Pool } from "../../../ton/pool/pool.ts";
import { V2Pool } from "../../../ton/pool/v2/pool.ts";
import { createNoteRecord, type NoteRecord } from "../../notes/note_store.ts";
import { recordDeposit } from "../deposit_events.ts";
import { depositNative } from "../deposit_native.ts";
import { depositByPayer } from "../deposit_payer.ts";
import { depositByTransfer } from "../deposit_transfer.ts";

const owner = testAddress(1);
const native = (version: 1 | 2) =>
  createNote({ asset: "native", amount: "10", network: "localnet", version });

/** Returns functions that pay a native pool, one for each way, and the list of what they send. */
function waysToPay(change: (scene: ScriptedPool) => void) {
  const open = (kind: 0 | 2) => {
    const scene = new ScriptedPool({ kind, denomination: 10_000_000_000n });
    change(scene);
    return scene;
  };
  const sent: unknown[] = [];
  const payer = { address: owner, pay: (message: unknown) => Promise.resolve(void sent.push(message)) };
  const [first, second] = [open(0), open(2)];
  const common = ({ chain, clock }: ScriptedPool) =>
    ({ chain, clock, network: "localnet", pollIntervalMs: 1_000 }) as const;
  return {
    sent,
    ways: [
      () =>
        depositNative({
          ...common(first),
          pool: new Pool(first.chain, poolAddress),
          note: native(1),
          prover: emptyProver,
          wallet: first.wallet(owner, (messages) => void sent.push(...messages)),
        }),
      () =>
        depositByPayer({
          ...common(first),
          pool: new Pool(first.chain, poolAddress),
          note: native(1),
          prover: emptyProver,
          payer,
        }),
      () =>
        depositByTransfer({
          ...common(second),
          pool: new V2Pool(second.chain, poolAddress),
          note: native(2),
          payer,
        }),
    ],
  };
}

Deno.test("a pool that accepts no deposit is not paid, in any way", async () => {
  const withInfo = (index: number, value: number) => (scene: ScriptedPool) => {
    const { get_pool_info: info } = scene.getters;
    scene.getters.get_pool_info = (...args) => info(...args).with(index, int(value));
  };
  for (
    const [code, change] of [["pool_closed", withInfo(4, -1)], ["tree_full", withInfo(5, 1 << 20)]] as const
  ) {
    const { sent, ways } = waysToPay(change);
    for (const pay of ways) await rejects(pay(), { code });
    deepEqual(sent, []);
  }
});

Deno.test("a payer's refused jettons end the deposit, and a notification by anyone else does not", async () => {
  const jetton = { asset: "jet", decimals: 6, jettonMaster };
  const note = createNote({ asset: "jet", amount: "10", network: "localnet" });
  const { commitment } = note;
  const body = transferNotification(
    owner,
    10_000_000n,
    storeDeposit({ queryId: 0n, commitment, newRoot: 1n, leafIndex: 0, proof: proofToCell(baseProof) }),
  );
  const payInto = (from: typeof owner) => {
    const scene = new ScriptedPool({ kind: 1, denomination: 10_000_000n, depositValue: 300_000_000n });
    const pay = () => {
      scene.add(poolAddress, { from, body, exitCode: exitCodes.ERR_PAUSED });
      scene.at(4_000, () => scene.deposit(commitment, { from: jettonWalletOf(poolAddress), body }));
      return Promise.resolve();
    };
    const { chain, clock } = scene;
    return depositByPayer({
      ...{ chain, clock, note, jetton, prover: emptyProver, network: "localnet", pollIntervalMs: 1_000 },
      pool: new Pool(chain, poolAddress),
      payer: { address: owner, pay },
    });
  };
  await rejects(payInto(jettonWalletOf(poolAddress)), { code: "contract_refused", message: /ERR_PAUSED/ });
  equal((await payInto(testAddress(9))).leafIndex, 0);
});

Deno.test("a deposit is recorded with its payer, and undoes no later step of the note", async () => {
  const found = { leafIndex: 3, timestamp: 5, depositor: owner };
  for (
    const [state, expected] of [["created", "deposited"], ["depositing", "deposited"], [
      "withdrawing",
      "withdrawing",
    ], ["withdrawn", "withdrawn"]] as const
  ) {
    let record: NoteRecord = { ...createNoteRecord(formatNote(native(1)), 1), state };
    const store = {
      list: () => Promise.resolve([record]),
      update: (_id: string, change: Partial<NoteRecord>) =>
        Promise.resolve(record = { ...record, ...change }),
    };
    await recordDeposit(store, record.id, found);
    const deposit = { from: owner.toRawString(), leafIndex: 3, timestamp: 5 };
    deepEqual([record.state, record.deposit], [expected, expected === "deposited" ? deposit : undefined]);
  }
});
