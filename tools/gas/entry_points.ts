/** Everything that can be asked of a pool, as the gas tables list it. */
import { Address, beginCell, type Cell } from "@ton/core";
import { type ExitCodeName } from "../../src/core/errors.ts";
import { FIELD_MODULUS } from "../../src/core/field.ts";
import {
  opCodes,
  storeAdmin,
  storeDiscoverJettonWallet,
  storeRecoverStuck,
} from "../../src/core/messages.ts";
import { POOL_CAPACITY } from "../../src/core/pool_constants.ts";
import { type JettonDepositChange } from "../../tests/support/jetton_sandbox.ts";
import { type Outcome, type WithdrawChange } from "../../tests/support/pool_sandbox.ts";
import type { Bench, Kind } from "./bench.ts";
import { touched as touchedSets } from "./fills.ts";

/** A message, or a way to refuse one. */
export interface EntryPoint {
  readonly name: string;
  /** Kinds of pools that have it, when not both. */
  readonly only?: Kind;
  /** What it ends with; 0 when not given. */
  readonly refusal?: ExitCodeName;
  /** Whether a pool so full can get into this; always when not given. */
  readonly possible?: (bench: Bench) => boolean;
  send(bench: Bench): Promise<Outcome>;
}

const proofOfOthers = [1n, 2n, 3n, 4n, 5n, 6n];
const VALUE = 1_000_000_000n;

async function deposit(bench: Bench, change: JettonDepositChange & { value?: bigint } = {}) {
  const { commitment, newRoot } = bench.fill.keys;
  const honest = { commitment, newRoot, ...change };
  return bench.jettons ? await bench.jettons.deposit(honest) : await bench.pool.deposit(honest);
}

function withdraw(bench: Bench, change: WithdrawChange = {}): Promise<Outcome> {
  return bench.pool.withdraw({ nullifierHash: bench.fill.keys.nullifierHash, ...change });
}

/** With one bit too many. */
const malformed = (body: Cell) => beginCell().storeSlice(body.beginParse()).storeBit(1).endCell();
const op = (code: number) => beginCell().storeUint(code, 32).storeUint(0, 64).endCell();
const sends = (body: Cell, from: "owner" | "user" = "user") => async ({ pool, reset }: Bench) => {
  await reset();
  return await pool.send(body, VALUE, { from: pool[from].address });
};
const depositing = (change: JettonDepositChange & { value?: bigint } = {}) => async (bench: Bench) => {
  await bench.reset();
  return await deposit(bench, change);
};
const withdrawing =
  (change: WithdrawChange | ((bench: Bench) => WithdrawChange) = {}) => async (bench: Bench) => {
    await bench.reset();
    return await withdraw(bench, typeof change === "function" ? change(bench) : change);
  };

const hasNotes = ({ fill }: Bench) => fill.deposits > fill.withdrawals;
const hasOldRoots = ({ fill }: Bench) => fill.deposits >= 30;

const deposits: readonly EntryPoint[] = [
  { name: "deposit", send: depositing() },
  {
    name: "deposit, wrong amount",
    refusal: "ERR_WRONG_DENOMINATION",
    send: depositing({ value: VALUE, amount: 1n }),
  },
  {
    name: "deposit, paused",
    refusal: "ERR_PAUSED",
    send: async (bench) => {
      await bench.reset({ paused: true });
      return await deposit(bench);
    },
  },
  {
    name: "deposit, pool full",
    refusal: "ERR_POOL_FULL",
    possible: ({ fill }) => fill.deposits === POOL_CAPACITY - 1,
    send: async (bench) => {
      await bench.reset({ deposits: POOL_CAPACITY });
      return await deposit(bench);
    },
  },
  {
    name: "deposit, malformed",
    refusal: "ERR_MALFORMED",
    send: async (bench) => {
      await bench.reset();
      const body = malformed(await bench.pool.depositBody(bench.fill.keys));
      if (bench.jettons) return await bench.jettons.deposit({ payload: body });
      return await bench.pool.send(body, bench.pool.denomination);
    },
  },
  {
    name: "deposit, above the field",
    refusal: "ERR_NOT_IN_FIELD",
    send: depositing({ newRoot: FIELD_MODULUS, signals: proofOfOthers.slice(0, 4) }),
  },
  {
    name: "deposit, stale",
    refusal: "ERR_STALE_DEPOSIT",
    send: depositing({ leafIndex: POOL_CAPACITY }),
  },
  {
    name: "deposit, commitment known",
    refusal: "ERR_DUPLICATE_COMMITMENT",
    send: async (bench) => {
      await bench.reset(withKeys(bench));
      return await deposit(bench);
    },
  },
  {
    name: "deposit, false proof",
    refusal: "ERR_PROOF_INVALID",
    send: depositing({ signals: proofOfOthers.slice(0, 4) }),
  },
  {
    name: "deposit, too little for its way back",
    only: "jetton",
    refusal: "ERR_INSUFFICIENT_VALUE",
    send: depositing({ forward: 100_000_000n }),
  },
  {
    name: "deposit, sent as coins",
    only: "jetton",
    refusal: "ERR_NOT_JETTON_WALLET",
    send: sends(op(opCodes.deposit)),
  },
];

const withdrawals: readonly EntryPoint[] = [
  { name: "withdraw, newest root", possible: hasNotes, send: withdrawing() },
  {
    name: "withdraw, oldest root",
    possible: hasOldRoots,
    send: withdrawing(({ roots }) => ({ root: roots.at(-30)! })),
  },
  { name: "withdraw, no fee to pay", possible: hasNotes, send: withdrawing({ fee: 0n }) },
  {
    name: "withdraw, malformed",
    refusal: "ERR_MALFORMED",
    send: async (bench) => {
      await bench.reset();
      return await bench.pool.send(malformed(bench.pool.withdrawBody()), VALUE);
    },
  },
  {
    name: "withdraw, above the field",
    refusal: "ERR_NOT_IN_FIELD",
    send: withdrawing({ nullifierHash: FIELD_MODULUS, signals: proofOfOthers, value: VALUE }),
  },
  {
    name: "withdraw, root unknown",
    refusal: "ERR_UNKNOWN_ROOT",
    send: withdrawing({ root: 1n, value: VALUE }),
  },
  {
    name: "withdraw, spent",
    refusal: "ERR_ALREADY_SPENT",
    possible: hasNotes,
    send: async (bench) => {
      await bench.reset(withKeys(bench));
      return await withdraw(bench);
    },
  },
  {
    name: "withdraw, false proof",
    refusal: "ERR_PROOF_INVALID",
    possible: hasNotes,
    send: withdrawing({ signals: proofOfOthers }),
  },
  {
    name: "withdraw, fee above the note",
    refusal: "ERR_FEE_TOO_HIGH",
    possible: hasNotes,
    send: withdrawing(({ pool }) => ({ fee: pool.denomination + 1n })),
  },
  {
    name: "withdraw, to the pool itself",
    refusal: "ERR_BAD_ADDRESS",
    possible: hasNotes,
    send: withdrawing(({ pool }) => ({ recipient: pool.address })),
  },
  {
    name: "withdraw, value too low",
    refusal: "ERR_INSUFFICIENT_VALUE",
    possible: hasNotes,
    send: withdrawing({ value: 15_000_000n }),
  },
];

const others: readonly EntryPoint[] = [
  { name: "pause", send: sends(storeAdmin("admin_pause"), "owner") },
  { name: "pause, not by the owner", refusal: "ERR_NOT_OWNER", send: sends(storeAdmin("admin_pause")) },
  { name: "unpause", send: sends(storeAdmin("admin_unpause"), "owner") },
  { name: "recover stuck", send: (bench) => recover(bench, 1_000_000n) },
  {
    name: "recover stuck, no surplus",
    refusal: "ERR_NOT_SURPLUS",
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
    only: "jetton",
    send: async (bench) => {
      await bench.reset(undiscovered(bench));
      return await bench.pool.send(storeDiscoverJettonWallet(), VALUE);
    },
  },
  {
    name: "discover jetton wallet, known",
    only: "jetton",
    refusal: "ERR_NOT_MASTER",
    send: sends(storeDiscoverJettonWallet()),
  },
  {
    name: "take wallet address",
    only: "jetton",
    send: async (bench) => {
      await bench.reset(undiscovered(bench));
      return await answer(bench, bench.jettons!.minter.address);
    },
  },
  {
    name: "take wallet address, of another",
    only: "jetton",
    refusal: "ERR_NOT_MASTER",
    send: async (bench) => {
      await bench.reset();
      return await answer(bench, bench.pool.user.address);
    },
  },
];

/** In the order of the tables. */
export const entryPoints = [...deposits, ...withdrawals, ...others];

/** The sets with the message's keys in them. */
function withKeys({ fill }: Bench) {
  const { commitments, nullifiers } = touchedSets(fill);
  commitments.add(fill.keys.commitment);
  nullifiers.add(fill.keys.nullifierHash);
  return { commitments, nullifiers };
}

function undiscovered({ jettons }: Bench) {
  return { jetton: { master: jettons!.minter.address, wallet: null } };
}

async function recover({ pool, reset }: Bench, amount: bigint): Promise<Outcome> {
  await reset();
  return await pool.send(storeRecoverStuck(amount, new Address(0, pool.owner.address.hash)), VALUE, {
    from: pool.owner.address,
  });
}

async function answer({ pool, jettons }: Bench, from: Address): Promise<Outcome> {
  const body = beginCell().storeUint(opCodes.take_wallet_address, 32).storeUint(0, 64)
    .storeAddress(jettons!.poolWallet).storeMaybeRef(null).endCell();
  return await pool.send(body, VALUE, { from });
}

/** Get methods and what they are asked with. */
export const getters: readonly { name: string; args?: (bench: Bench) => bigint[] }[] = [
  { name: "getCurrentRoot" },
  { name: "getNextIndex" },
  { name: "getDenomination" },
  { name: "getIsDeposited", args: ({ fill }) => [fill.keys.commitment] },
  { name: "getIsSpent", args: ({ fill }) => [fill.keys.nullifierHash] },
  { name: "get_root_history" },
  { name: "get_deposit_value" },
  { name: "get_withdraw_value", args: () => [0n] },
  { name: "get_pool_info" },
];
