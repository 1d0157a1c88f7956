import { Address } from "@ton/core";
import {
  findLinkability,
  type LinkabilityFacts,
} from "../../../client/withdrawal/warnings/linkability_warnings.ts";
import type { NoteRecord, NoteStore } from "../../../client/notes/note_store.ts";
import { wasSentTo } from "../../../client/notes/withdrawal_attempts.ts";
import { assertPayableAddress, isWithoutGas } from "../../../client/withdrawal/recipient_check.ts";
import { Problem, type ProblemDetail } from "../../../core/errors/problem.ts";
import type { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { parseUnits } from "../../../core/protocol/units.ts";
import type { Chain } from "../../../ton/chain.ts";
import { isKnownWalletCode } from "../../../ton/wallet/wallet_codes.ts";
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
    readonly pool: AnyPool;
    readonly record: NoteRecord;
    readonly store: Pick<NoteStore, "list">;
    readonly recipient: Address;
    readonly deployment: { readonly asset: string };
    readonly options: {
      readonly fast?: boolean;
      readonly self?: boolean;
      readonly recipientCheck: boolean;
      readonly refund: string;
    };
  },
  tree: MerkleTree | undefined,
): Promise<{ name: string; text: string }[]> {
  const { chain, pool, deployment, record: { deposit, note }, recipient, options } = run;
  const { fast, self, recipientCheck, refund } = options;
  const account = recipientCheck ? await chain.account(recipient) : undefined;
  const leafIndex = tree?.indexOf(note.reveal().commitment) ?? deposit?.leafIndex;
  const leaves = tree?.size ?? await pool.getTreeSize();
  const facts: LinkabilityFacts = {
    ...leafIndex === undefined || leafIndex < 0 ? {} : { laterDeposits: leaves - leafIndex - 1 },
    ...deposit?.timestamp === undefined
      ? {}
      : { depositAgeSeconds: run.context.now() / 1000 - deposit.timestamp },
    ...account && {
      recipientUsed: account.last !== undefined || account.balance > 0n || account.state !== "uninitialized",
      recipientIsContract: account.code !== undefined && !isKnownWalletCode(account.code),
      recipientWithoutGas: isWithoutGas({
        assetKind: toAssetKind(deployment.asset),
        balance: account.balance,
        refund: self ? 0n : parseUnits(refund),
      }),
    },
    recipientIsDepositor: deposit?.from !== undefined && Address.parse(deposit.from).equals(recipient),
    recipientReused: wasSentTo(await run.store.list(), run.record.id, recipient),
    pathFromRelayer: fast === true,
    selfRelayed: self === true,
  };
  return findLinkability(facts).map((code) => ({ name: code, text: warningText(code, facts) }));
}
