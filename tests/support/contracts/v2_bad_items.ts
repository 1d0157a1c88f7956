/** Items of `withdraw_many` that both kinds of version 2 pools refuse or skip, and other layouts of the message. */
import { Address, beginCell, Cell } from "@ton/core";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import { storeWithdrawMany, type WithdrawRequest } from "../../../src/core/protocol/v2/messages.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import type { V2Sandbox, V2WithdrawChange } from "../../../testkit/chain/v2/sandbox.ts";
import { invalidateProof, invalidations, unpackProof } from "./invalid_proofs.ts";

type ItemTable = Record<string, readonly [ExitCodeName, (sandbox: V2Sandbox) => V2WithdrawChange]>;

/** A key of slot 5, which contains other keys (`slotOf`). */
const KEY = (99n << 12n) | 5n;

function spoiledPath({ spent }: V2Sandbox): V2WithdrawChange {
  const path = spent.slotPath(KEY)!;
  return {
    nullifierHash: KEY,
    carried: beginCell().storeSlice(path.beginParse()).storeRef(Cell.EMPTY).endCell(),
  };
}

function exoticPath({ spent }: V2Sandbox): V2WithdrawChange {
  const { bits } = beginCell().storeUint(2, 8).storeBuffer(spent.slotPath(KEY)!.hash()).endCell();
  return { nullifierHash: KEY, carried: new Cell({ exotic: true, bits }) };
}

function invalidPoints(sandbox: V2Sandbox, spoil: keyof typeof invalidations): V2WithdrawChange {
  const request = sandbox.request();
  return { ...request, proof: invalidateProof(unpackProof(request.proof), invalidations[spoil]) };
}

/** Faults that make the pool refuse the whole message. Slot 5 of the pool has keys. */
export const itemFaults: ItemTable = {
  "a proof of other signals": ["ERR_PROOF_INVALID", () => ({ signals: [1n, 2n, 3n, 4n, 5n, 6n] })],
  "a nullifier hash of r": ["ERR_NOT_IN_FIELD", () => ({ nullifierHash: FIELD_MODULUS })],
  "a root of r": ["ERR_NOT_IN_FIELD", () => ({ root: FIELD_MODULUS })],
  "a fee above the denomination": ["ERR_FEE_TOO_HIGH", ({ pool }) => ({ fee: pool.denomination + 1n })],
  "the pool as recipient": ["ERR_BAD_ADDRESS", ({ pool }) => ({ recipient: pool.address })],
  "a recipient in another workchain": ["ERR_BAD_ADDRESS", ({ pool }) => ({
    recipient: new Address(1, pool.user.address.hash),
  })],
  "another relayer": ["ERR_MALFORMED", ({ pool }) => ({ relayer: pool.user.address })],
  "an empty proof": ["ERR_MALFORMED", () => ({ proof: Cell.EMPTY })],
  "a path with a spare reference": ["ERR_MALFORMED", spoiledPath],
  "an exotic path": ["ERR_MALFORMED", exoticPath],
  ...Object.fromEntries(
    Object.keys(invalidations).map((what) => [
      `a proof with ${what}`,
      ["ERR_PROOF_INVALID", (sandbox: V2Sandbox) => invalidPoints(sandbox, what)] as const,
    ]),
  ),
};

/** Faults that make the pool skip an item. */
export const skippedItems: ItemTable = {
  "a stale path": ["ERR_STALE_SLOT", () => ({ carried: beginCell().storeUint(1, 96).endCell() })],
  "no path for a used slot": ["ERR_STALE_SLOT", () => ({ nullifierHash: KEY, carried: null })],
  "a spent note": ["ERR_ALREADY_SPENT", () => ({ nullifierHash: (1n << 12n) | 5n })],
  "an unknown root": ["ERR_UNKNOWN_ROOT", () => ({ root: freshElement() })],
  "a wrong number of the root": ["ERR_UNKNOWN_ROOT", () => ({ rootNumber: 7 })],
};

/** Builds wrong layouts of an item from a valid one, without and with the reference to the next item. */
const itemLayouts: Record<string, (item: Cell) => Cell> = {
  "an empty item": () => Cell.EMPTY,
  "an item of one bit more": (item) => beginCell().storeSlice(item.beginParse()).storeBit(0).endCell(),
  "an item of one bit less": (item) =>
    item.refs.reduce(
      (cut, ref) => cut.storeRef(ref),
      beginCell().storeBits(item.bits.substring(0, item.bits.length - 1)),
    ).endCell(),
  "an exotic item": (item) => {
    const { bits } = beginCell().storeUint(2, 8).storeBuffer(item.hash()).endCell();
    return new Cell({ exotic: true, bits });
  },
};

/** Returns bodies with one malformed item at each position, and others whose own layout is wrong. */
export function malformedBatches(requests: readonly WithdrawRequest[]): Record<string, Cell> {
  const body = storeWithdrawMany(requests, 0n);
  const withItems = (items: Cell) => beginCell().storeBits(body.bits).storeRef(items).endCell();
  const bodies: Record<string, Cell> = {
    "no items": beginCell().storeBits(body.bits).endCell(),
    "one bit too much": beginCell().storeSlice(body.beginParse()).storeBit(0).endCell(),
    "a reference too much": beginCell().storeSlice(body.beginParse()).storeRef(Cell.EMPTY).endCell(),
  };
  for (const [what, spoil] of Object.entries(itemLayouts)) {
    for (const at of requests.keys()) {
      bodies[`${what} at ${at}`] = withItems(changeItem(body.refs[0], at, spoil));
    }
  }
  return bodies;
}

/** An item's last reference is the next item. */
function changeItem(item: Cell, at: number, change: (item: Cell) => Cell): Cell {
  if (at === 0) return change(item);
  const refs = [...item.refs.slice(0, -1), changeItem(item.refs.at(-1)!, at - 1, change)];
  return refs.reduce((copy, ref) => copy.storeRef(ref), beginCell().storeBits(item.bits)).endCell();
}
