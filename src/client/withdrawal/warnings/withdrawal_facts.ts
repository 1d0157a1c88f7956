/** What a program knows about a withdrawal, as facts that may link it to its deposit. It fetches nothing. */
import { Address } from "@ton/core";
import type { AccountInfo } from "../../../ton/chain.ts";
import { isKnownWalletCode } from "../../../ton/wallet/wallet_codes.ts";
import type { NoteJournal } from "../../notes/note_store.ts";
import type { MatchedPool } from "../../notes/pool_match.ts";
import type { LinkabilityFacts } from "./linkability_warnings.ts";

/** Pays a jetton recipient's first transfer. A smaller refund may not. In nano. */
export const JETTON_REFUND_NANO = 50_000_000n;

type GivenFacts = "recipientReused" | "pathFromRelayer" | "selfRelayed" | "sameEndpoint";

/** What a program knows about a withdrawal. */
export interface WithdrawalFacts extends Pick<LinkabilityFacts, GivenFacts> {
  readonly deposit: NoteJournal["deposit"];
  /** The same deposit in the pool's log, if this run has read it. The journal's can be false. */
  readonly logged?: NoteJournal["deposit"];
  /** Deposits of others after this one, if known. */
  readonly later?: number | undefined;
  readonly recipient: Address;
  /** The recipient's account; undefined if the endpoint was not asked. */
  readonly account?: Pick<AccountInfo, "balance" | "state" | "code" | "last"> | undefined;
  readonly assetKind: MatchedPool["info"]["assetKind"];
  readonly refund: bigint; // in nano
  /** Unix milliseconds: the earlier of device and chain, because a device's clock may be wrong and an endpoint may lie. */
  readonly now: number;
}

/**
 * Returns the facts of a withdrawal that may link it to its deposit, for {@linkcode findLinkability}.
 * @example
 * ```ts
 * const account = await chain.account(recipient); // reveals the recipient to the endpoint
 * const given = { deposit: undefined, recipient, account, assetKind: "native", refund: 0n, now: Date.now() } as const;
 * const facts = toLinkabilityFacts({ ...given, pathFromRelayer: false, selfRelayed: false });
 * ```
 */
export function toLinkabilityFacts(
  { deposit, logged, later, recipient, account, assetKind, refund, now, ...given }: WithdrawalFacts,
): LinkabilityFacts {
  const known = [deposit, logged];
  const times = known.flatMap((each) => each?.timestamp ?? []);
  return {
    ...given,
    ...later !== undefined && { laterDeposits: later },
    ...times.length > 0 && { depositAgeSeconds: now / 1000 - Math.max(...times) },
    ...account && {
      recipientUsed: account.last !== undefined || account.balance > 0n || account.state !== "uninitialized",
      recipientIsContract: account.code !== undefined && !isKnownWalletCode(account.code),
      recipientWithoutGas: assetKind === "jetton" && account.balance === 0n && refund < JETTON_REFUND_NANO,
    },
    recipientIsDepositor: known.some((each) =>
      each?.from !== undefined && Address.parse(each.from).equals(recipient)
    ),
  };
}
