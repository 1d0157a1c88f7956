/** States of version 1 pools all of whose notes are withdrawn. */
import { Address, toNano } from "@ton/core";
import type { RebuiltState } from "../../../src/ops/rescue/rebuilt_state.ts";
import { loadPoolCode } from "../../../src/ton/pool/state_init.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../../testkit/chain/pool_storage.ts";
import { manyClaims } from "../contracts/claims.ts";

export type Keys = (i: number) => bigint;

/** Keys as honest notes have them. */
export const spreadKeys: Keys = () => freshElement() * 0x9e3779b97f4a7c15n >> 3n;
/** Keys that use the most cells: each has its own slot. */
export const worstKeys: Keys = (i) => (spreadKeys(i) << 12n) + BigInt(i);

/** Returns the state of a pool with `notes` deposits, all withdrawn. */
export function emptiedState(
  kind: "native" | "jetton",
  notes: number,
  keys: Keys,
  claims = 0,
  owner: Address | null = null,
): RebuiltState {
  const [commitments, nullifiers, history] = [new SetModel(), new SetModel(), new RootHistoryModel()];
  for (const set of [commitments, nullifiers]) while (set.size < notes) set.add(keys(set.size));
  for (let i = 0; i < 95; i++) history.push(freshElement()); // a history of the most cells
  const party = new Address(0, Buffer.alloc(32, 7));
  const data = encodePoolData({
    denomination: toNano(10),
    deposits: notes,
    withdrawals: notes,
    debt: 0n,
    touched: 1,
    commitments,
    nullifiers,
    history,
    root: freshElement(),
    paused: false,
    owner,
    ...kind === "jetton" && { jetton: { master: party, wallet: party, claims: manyClaims(claims) } },
  });
  return { code: loadPoolCode(kind).code, data, deposits: notes, withdrawals: notes, touched: 1 };
}
