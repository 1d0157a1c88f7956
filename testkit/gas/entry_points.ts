/** The messages to pools, as the gas tables list them. */
import { Address, beginCell, type Cell, comment } from "@ton/core";
import { type ExitCodeName } from "../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { storeAdmin, storeRecoverStuck } from "../chain/admin_messages.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../src/core/protocol/messages/pool_messages.ts";
import { depositComment } from "../../src/core/protocol/v2/messages.ts";
import { POOL_CAPACITY } from "../../src/core/protocol/pool_constants.ts";
import { type JettonDepositChange } from "../chain/jetton_sandbox.ts";
import { type Outcome, type WithdrawChange } from "../chain/pool_sandbox.ts";
import type { MeasuredPool, PoolKind } from "./measured_pool.ts";
import { buildTouchedSets as touchedSets } from "./fills.ts";
import { BLOCKING_CLAIMS, claimEntryPoints, withClaims } from "./claim_entry_points.ts";

/** A message, valid or rejected. */
export interface EntryPoint {
  readonly name: string;
  /** The kind of pool that accepts this message. Default: both. */
  readonly poolKind?: PoolKind;
  /** The exit code. Default: 0. */
  readonly exitCode?: ExitCodeName;
  /** Whether the message is possible at this fill. Default: always. */
  readonly isApplicable?: (bench: MeasuredPool) => boolean;
  send(bench: MeasuredPool): Promise<Outcome>;
}

const proofOfOthers = [1n, 2n, 3n, 4n, 5n, 6n];
const VALUE = 1_000_000_000n;

async function deposit(bench: MeasuredPool, change: JettonDepositChange & { value?: bigint } = {}) {
  const { commitment, newRoot } = bench.fill.keys;
  const honest = { commitment, newRoot, ...change };
  return bench.jettons ? await bench.jettons.deposit(honest) : await bench.pool.deposit(honest);
}

function withdraw(bench: MeasuredPool, change: WithdrawChange = {}): Promise<Outcome> {
  return bench.pool.withdraw({ nullifierHash: bench.fill.keys.nullifierHash, ...change });
}

/** Returns the body with one bit too many. */
const malformed = (body: Cell) => beginCell().storeSlice(body.beginParse()).storeBit(1).endCell();
const op = (code: number) => beginCell().storeUint(code, 32).storeUint(0, 64).endCell();
const sends = (body: Cell, from: "owner" | "user" = "user") => async ({ pool, reset }: MeasuredPool) => {
  await reset();
  return await pool.send(body, VALUE, { from: pool[from].address });
};
const depositing = (change: JettonDepositChange & { value?: bigint } = {}) => async (bench: MeasuredPool) => {
  await bench.reset();
  return await deposit(bench, change);
};
const withdrawing = (change: WithdrawChange | ((bench: MeasuredPool) => WithdrawChange) = {}) =>
async (
  bench: MeasuredPool,
) => {
  await bench.reset();
  return await withdraw(bench, typeof change === "function" ? change(bench) : change);
};

const hasNotes = ({ fill }: MeasuredPool) => fill.deposits > fill.withdrawals;
const hasOldRoots = ({ fill }: MeasuredPool) => fill.deposits >= 30;

const deposits: readonly EntryPoint[] = [
  { name: "deposit", send: depositing() },
  {
    name: "deposit, wrong amount",
    exitCode: "ERR_WRONG_DENOMINATION",
    send: depositing({ value: VALUE, amount: 1n }),
  },
  {
    name: "deposit, paused",
    exitCode: "ERR_PAUSED",
    send: async (bench) => {
      await bench.reset({ paused: true });
      return await deposit(bench);
    },
  },
  {
    name: "deposit, pool full",
    exitCode: "ERR_POOL_FULL",
    isApplicable: ({ fill }) => fill.deposits === POOL_CAPACITY - 1,
    send: async (bench) => {
      await bench.reset({ deposits: POOL_CAPACITY });
      return await deposit(bench);
    },
  },
  {
    name: "deposit, malformed",
    exitCode: "ERR_MALFORMED",
    send: async (bench) => {
      await bench.reset();
      const body = malformed(await bench.pool.depositBody(bench.fill.keys));
      if (bench.jettons) return await bench.jettons.deposit({ payload: body });
      return await bench.pool.send(body, bench.pool.denomination);
    },
  },
  {
    name: "deposit, above the field",
    exitCode: "ERR_NOT_IN_FIELD",
    send: depositing({ newRoot: FIELD_MODULUS, signals: proofOfOthers.slice(0, 4) }),
  },
  {
    name: "deposit, stale",
    exitCode: "ERR_STALE_DEPOSIT",
    send: depositing({ leafIndex: POOL_CAPACITY }),
  },
  {
    name: "deposit, commitment known",
    exitCode: "ERR_DUPLICATE_COMMITMENT",
    send: async (bench) => {
      await bench.reset(withKeys(bench));
      return await deposit(bench);
    },
  },
  {
    name: "deposit, false proof",
    exitCode: "ERR_PROOF_INVALID",
    send: depositing({ signals: proofOfOthers.slice(0, 4) }),
  },
  {
    name: "deposit, too little for its way back",
    poolKind: "jetton",
    exitCode: "ERR_INSUFFICIENT_VALUE",
    send: depositing({ forward: 100_000_000n }),
  },
  {
    name: "deposit, sent as coins",
    poolKind: "jetton",
    exitCode: "ERR_NOT_JETTON_WALLET",
    send: sends(op(opCodes.deposit)),
  },
  { name: "deposit, by comment", exitCode: "ERR_MALFORMED", send: sends(comment(depositComment(1n))) },
];

const withdrawals: readonly EntryPoint[] = [
  { name: "withdraw, newest root", isApplicable: hasNotes, send: withdrawing() },
  {
    name: "withdraw, oldest root",
    isApplicable: hasOldRoots,
    send: withdrawing(({ roots }) => ({ root: roots.at(-30)! })),
  },
  { name: "withdraw, no fee to pay", isApplicable: hasNotes, send: withdrawing({ fee: 0n }) },
  {
    name: "withdraw, malformed",
    exitCode: "ERR_MALFORMED",
    send: async (bench) => {
      await bench.reset();
      return await bench.pool.send(malformed(bench.pool.withdrawBody()), VALUE);
    },
  },
  {
    name: "withdraw, above the field",
    exitCode: "ERR_NOT_IN_FIELD",
    send: withdrawing({ nullifierHash: FIELD_MODULUS, signals: proofOfOthers, value: VALUE }),
  },
  {
    name: "withdraw, root unknown",
    exitCode: "ERR_UNKNOWN_ROOT",
    send: withdrawing({ root: 1n, value: VALUE }),
  },
  {
    name: "withdraw, spent",
    exitCode: "ERR_ALREADY_SPENT",
    isApplicable: hasNotes,
    send: async (bench) => {
      await bench.reset(withKeys(bench));
      return await withdraw(bench);
    },
  },
  {
    name: "withdraw, false proof",
    exitCode: "ERR_PROOF_INVALID",
    isApplicable: hasNotes,
    send: withdrawing({ signals: proofOfOthers }),
  },
  {
    name: "withdraw, fee above the note",
    exitCode: "ERR_FEE_TOO_HIGH",
    isApplicable: hasNotes,
    send: withdrawing(({ pool }) => ({ fee: pool.denomination + 1n })),
  },
  {
    name: "withdraw, to the pool itself",
    exitCode: "ERR_BAD_ADDRESS",
    isApplicable: hasNotes,
    send: withdrawing(({ pool }) => ({ recipient: pool.address })),
  },
  {
    name: "withdraw, value too low",
    exitCode: "ERR_INSUFFICIENT_VALUE",
    isApplicable: hasNotes,
    send: withdrawing({ value: 15_000_000n }),
  },
  {
    name: "withdraw, payouts blocked",
    poolKind: "jetton",
    exitCode: "ERR_PAYOUTS_BLOCKED",
    isApplicable: hasNotes,
    send: async (bench) => {
      await bench.reset(withClaims(bench, BLOCKING_CLAIMS));
      return await withdraw(bench, { value: VALUE });
    },
  },
];

const others: readonly EntryPoint[] = [
  { name: "pause", send: sends(storeAdmin("admin_pause"), "owner") },
  { name: "pause, not by the owner", exitCode: "ERR_NOT_OWNER", send: sends(storeAdmin("admin_pause")) },
  { name: "unpause", send: sends(storeAdmin("admin_unpause"), "owner") },
  { name: "recover stuck", send: (bench) => recover(bench, 1_000_000n) },
  {
    name: "recover stuck, no surplus",
    exitCode: "ERR_NOT_SURPLUS",
    send: (bench) => recover(bench, 2_000_000_000_000n),
  },
  { name: "empty body", send: sends(beginCell().endCell()) },
  { name: "unknown op", send: sends(op(0x12345678)) },
  {
    name: "bounced",
    send: async ({ pool, reset }) => {
      await reset();
      return await pool.send(op(0xffffffff), VALUE, { bounced: true, bounce: false });
    },
  },
  {
    name: "discover jetton wallet",
    poolKind: "jetton",
    send: async (bench) => {
      await bench.reset(undiscovered(bench));
      return await bench.pool.send(storeDiscoverJettonWallet(), VALUE);
    },
  },
  {
    name: "discover jetton wallet, known",
    poolKind: "jetton",
    exitCode: "ERR_NOT_MASTER",
    send: sends(storeDiscoverJettonWallet()),
  },
  {
    name: "take wallet address",
    poolKind: "jetton",
    send: async (bench) => {
      await bench.reset(undiscovered(bench));
      return await answer(bench, bench.jettons!.minter.address);
    },
  },
  {
    name: "take wallet address, of another",
    poolKind: "jetton",
    exitCode: "ERR_NOT_MASTER",
    send: async (bench) => {
      await bench.reset();
      return await answer(bench, bench.pool.user.address);
    },
  },
];

/** All messages, in the order of the tables. */
export const entryPoints = [...deposits, ...withdrawals, ...others, ...claimEntryPoints];

/** Returns the sets with the message's keys. */
function withKeys({ fill }: MeasuredPool) {
  const { commitments, nullifiers } = touchedSets(fill);
  commitments.add(fill.keys.commitment);
  nullifiers.add(fill.keys.nullifierHash);
  return { commitments, nullifiers };
}

function undiscovered({ jettons }: MeasuredPool) {
  return { jetton: { master: jettons!.minter.address, wallet: null } };
}

async function recover({ pool, reset }: MeasuredPool, amount: bigint): Promise<Outcome> {
  await reset();
  return await pool.send(storeRecoverStuck(amount, new Address(0, pool.owner.address.hash)), VALUE, {
    from: pool.owner.address,
  });
}

async function answer({ pool, jettons }: MeasuredPool, from: Address): Promise<Outcome> {
  const body = beginCell().storeUint(opCodes.take_wallet_address, 32).storeUint(0, 64)
    .storeAddress(jettons!.poolWallet).storeMaybeRef(null).endCell();
  return await pool.send(body, VALUE, { from });
}
