import { Address } from "@ton/core";
import { findLinkability } from "../../../client/withdrawal/warnings/linkability_warnings.ts";
import { countLaterStrangers } from "../../../client/withdrawal/warnings/later_deposits.ts";
import { toLinkabilityFacts } from "../../../client/withdrawal/warnings/withdrawal_facts.ts";
import type { NoteRecord, NoteStore } from "../../../client/notes/note_store.ts";
import { wasSentTo } from "../../../client/notes/withdrawal_attempts.ts";
import { assertPayableAddress } from "../../../client/withdrawal/recipient_check.ts";
import { Problem, type ProblemDetail } from "../../../core/errors/problem.ts";
import type { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { type Deployment, poolKey } from "../../../core/protocol/deployments.ts";
import type { Network } from "../../../core/protocol/network.ts";
import type { Note } from "../../../core/protocol/note.ts";
import { parseUnits } from "../../../core/protocol/units.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { AnyPool } from "../../../ton/pool/any_pool.ts";
import { usageError } from "../../options/usage_error.ts";
import type { CliContext } from "../../context.ts";
import { warningText } from "./warning_texts.ts";

/** Throws `invalid_config` for a missing or different recipient, and as `assertPayableAddress` does. */
export function resolveRecipient(
  { state, withdrawal }: NoteRecord,
  { to, restart, relayer, self }: {
    readonly to?: Address;
    readonly restart?: boolean;
    readonly relayer?: readonly string[];
    readonly self?: boolean;
  },
  { asset, blocked }: { readonly asset: string; readonly blocked: readonly Address[] },
): Address {
  if (to) assertPayableAddress(to, toAssetKind(asset), blocked);
  const begun = state === "withdrawing" && !restart && withdrawal
    ? Address.parse(withdrawal.recipient)
    : undefined;
  if (to && begun && !to.equals(begun)) {
    throw usageError(
      "--to",
      "differs from the recipient of the interrupted withdrawal: omit it, or add --restart to start again",
    );
  }
  const recipient = begun ?? to;
  if (recipient) return recipient;
  const missing = { pointer: "--to", detail: "is required: a fresh address that has never been used" };
  const errors = relayer || self || withdrawal?.relayer ? [missing] : [missing, MISSING_RELAYER];
  throw new Problem("invalid_config", undefined, { errors });
}

const toAssetKind = (asset: string) => asset === "native" ? "native" : "jetton";

export const MISSING_RELAYER: ProblemDetail = {
  pointer: "--relayer",
  detail: "is required: the URL of a relayer; repeat the flag to compare several",
};

/** Only the relayer's operator can intend its wallet as the recipient. */
export function relayerWalletWarning(url: string): [name: string, text: string] {
  return ["relayer_paid", `the recipient is the wallet of ${url}: that relayer receives the whole amount`];
}

/** `recipientCheck` reveals the recipient to the endpoint. */
export async function findLinkWarnings(
  run: {
    readonly context: CliContext;
    readonly chain: Chain;
    readonly chainTime: number;
    readonly pool: AnyPool;
    readonly note: Note;
    readonly record: NoteRecord;
    readonly store: Pick<NoteStore, "list">;
    readonly recipient: Address;
    readonly deployment: Deployment;
    readonly options: {
      readonly fast?: boolean;
      readonly self?: boolean;
      readonly recipientCheck: boolean;
      readonly refund: string;
    };
  },
  tree: MerkleTree | undefined,
): Promise<{ name: string; text: string }[]> {
  const { chain, pool, deployment, note, record: { id, deposit }, recipient, options } = run;
  const { fast, self, recipientCheck, refund } = options;
  const account = recipientCheck ? await chain.account(recipient) : undefined;
  const records = await run.store.list();
  const leafIndex = note.leafIndex ?? tree?.indexOf(note.commitment) ?? deposit?.leafIndex ?? -1;
  const leaves = tree?.size ?? await pool.getTreeSize();
  const facts = toLinkabilityFacts({
    deposit,
    later: leafIndex < 0
      ? undefined
      : countLaterStrangers(leaves, leafIndex, findOwnLeaves(records, deployment, note.network)),
    recipient,
    account,
    assetKind: toAssetKind(deployment.asset),
    refund: self ? 0n : parseUnits(refund),
    now: Math.min(run.context.now(), run.chainTime * 1000),
    recipientReused: wasSentTo(records, id, recipient),
    pathFromRelayer: fast === true,
    selfRelayed: self === true,
  });
  return findLinkability(facts).map((code) => ({ name: code, text: warningText(code, facts) }));
}

/** Returns the known leaves of the store's notes in this pool. */
function findOwnLeaves(records: readonly NoteRecord[], deployment: Deployment, network: Network): number[] {
  return records.filter(({ pool, note }) => {
    const own = note.reveal();
    if (own.network !== network) return false;
    return pool === undefined
      ? poolKey(own) === poolKey(deployment)
      : pool === deployment.address.toRawString();
  }).flatMap(({ deposit }) => deposit?.leafIndex ?? []);
}
