/** Who is paid by a withdrawal, and what would link it to its deposit. */
import { Address } from "@ton/core";
import { type LinkFacts, linksOf } from "../client/linkability.ts";
import type { NoteRecord } from "../client/note_store.ts";
import { assertRecoverable } from "../client/recipient.ts";
import type { Deployments } from "../core/deployments.ts";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import type { MerkleTree } from "../core/merkle_tree.ts";
import type { Chain } from "../ton/chain.ts";
import { isKnownWallet } from "../ton/known_wallets.ts";
import type { Pool } from "../ton/pool.ts";
import { misuse } from "./misuse.ts";
import type { Wiring } from "./wiring.ts";

/** What a registry knows of that gives nothing back: pools, and the masters and wallets of their jettons. */
export function deadContracts({ pools }: Deployments): Address[] {
  return [...pools.values()].flatMap(({ address, jettonMaster, jettonWallet }) =>
    [address, jettonMaster, jettonWallet].filter((each) => each !== undefined)
  );
}

/**
 * The recipient: that of a withdrawal which was cut off, unless it is begun anew.
 *
 * @param dead are refused
 * @throws {Problem} `invalid_config` for none, or another one than is under way; `unpayable_recipient`
 */
export function chosenRecipient(
  { state, withdrawal }: NoteRecord,
  { to, restart, relayer, self }: {
    readonly to?: Address;
    readonly restart?: boolean;
    readonly relayer?: readonly string[];
    readonly self?: boolean;
  },
  dead: readonly Address[],
): Address {
  if (to) assertRecoverable(to, dead);
  const begun = state === "withdrawing" && !restart && withdrawal
    ? Address.parse(withdrawal.recipient)
    : undefined;
  if (to && begun && !to.equals(begun)) {
    throw misuse(
      "--to",
      "is another one than the withdrawal pays that is under way: leave it away, or give --restart, too",
    );
  }
  const recipient = begun ?? to;
  if (recipient) return recipient;
  const missing = { pointer: "--to", detail: "is required: a fresh address, which nobody has seen before" };
  const errors = relayer || self || withdrawal?.relayer ? [missing] : [missing, NO_RELAYER];
  throw new Problem("invalid_config", undefined, { errors });
}

/** Where none is known. */
export const NO_RELAYER: ProblemDetail = {
  pointer: "--relayer",
  detail: "is required: the URL of a relayer, better of several",
};

/** Paying the relayer's own wallet gives it everything; only who runs the relayer can mean that. */
export function relayersOwn(url: string): [name: string, text: string] {
  return ["relayer_paid", `the recipient is the wallet of ${url} itself: that relayer gets all of it`];
}

/** Money that a contract is sent is often nobody's any more. */
const CONTRACT = {
  name: "contract",
  text: "the recipient is a contract, and none of the wallets that are known here: be sure that it gives " +
    "back what it is paid",
};

/** What is to be told before. It names the recipient to the endpoint, unless that is not wanted. */
export async function linksBefore(
  job: {
    readonly wiring: Wiring;
    readonly chain: Chain;
    readonly pool: Pool;
    readonly record: NoteRecord;
    readonly recipient: Address;
    readonly options: { readonly fast?: boolean; readonly self?: boolean; readonly recipientCheck: boolean };
  },
  tree: MerkleTree | undefined,
): Promise<{ name: string; text: string }[]> {
  const { chain, pool, record: { deposit, note }, recipient, options: { fast, self, recipientCheck } } = job;
  const account = recipientCheck ? await chain.account(recipient) : undefined;
  const leafIndex = tree?.indexOf(note.reveal().commitment) ?? deposit?.leafIndex;
  const leaves = tree?.size ?? await pool.getNextIndex();
  const facts: LinkFacts = {
    ...leafIndex === undefined || leafIndex < 0 ? {} : { since: leaves - leafIndex - 1 },
    ...deposit?.timestamp === undefined ? {} : { age: job.wiring.now() / 1000 - deposit.timestamp },
    ...account && {
      recipientUsed: account.last !== undefined || account.balance > 0n || account.state !== "uninitialized",
    },
    recipientPaid: deposit?.from !== undefined && Address.parse(deposit.from).equals(recipient),
    fast: fast === true,
    self: self === true,
  };
  return [...account?.code && !isKnownWallet(account.code) ? [CONTRACT] : [], ...linksOf(facts)];
}
