/** What would link a withdrawal to its deposit, although the proof does not: a table that is read to the owner before. */

import { counted } from "../core/units.ts";

/** What is known before a withdrawal; undefined where it is not. */
export interface LinkFacts {
  /** Deposits to the pool after this one. */
  readonly since?: number;
  /** Seconds since the deposit. */
  readonly age?: number;
  /** The recipient's account has a history, or money; undefined when nobody was asked. */
  readonly recipientUsed?: boolean;
  /** The recipient paid the deposit. */
  readonly recipientPaid: boolean;
  /** The path was asked of a relayer. */
  readonly fast: boolean;
  /** A wallet of one's own pays for it. */
  readonly self: boolean;
}

/** Deposits after one's own below which the crowd is small. */
export const SMALL_CROWD = 10;
/** Seconds within which a withdrawal of the same amount looks like the deposit's own. */
export const SOON = 24 * 3600;

/** One thing that links. */
interface LinkWarning {
  readonly name: string;
  readonly holds: (facts: LinkFacts) => boolean;
  readonly text: (facts: LinkFacts) => string;
}

/** All of them, the worst first. */
export const linkWarnings: readonly LinkWarning[] = [
  {
    name: "own_wallet",
    holds: ({ recipientPaid }) => recipientPaid,
    text: () => "the recipient is the wallet that paid the deposit: that links the two for everybody",
  },
  {
    name: "self",
    holds: ({ self }) => self,
    text: () =>
      "your wallet pays for it in public: whoever looks sees it beside the recipient. Use a relayer",
  },
  {
    name: "recipient_used",
    holds: ({ recipientUsed }) => recipientUsed === true,
    text: () =>
      "the recipient has been used before: what is known of it is known of you. Take a fresh address",
  },
  {
    name: "recipient_unchecked",
    holds: ({ recipientUsed }) => recipientUsed === undefined,
    text: () => "nobody was asked about the recipient: whether it is fresh, and a wallet, is yours to know",
  },
  {
    name: "few_deposits",
    holds: ({ since }) => since !== undefined && since < SMALL_CROWD,
    text: ({ since }) =>
      since === 0
        ? "no deposit came after yours: the crowd is small. More come with time"
        : `only ${counted(since!, "deposit")} came after yours: the crowd is small. More come with time`,
  },
  {
    name: "soon",
    holds: ({ age }) => age !== undefined && age < SOON,
    text: () =>
      "the deposit is less than a day old: the same amount going out so soon suggests that it is yours",
  },
  {
    name: "unknown_deposit",
    holds: ({ age }) => age === undefined,
    text: () =>
      "when this note was deposited, and by whom, is not known here, so not all that links is told: " +
      "`tonado note check` finds out",
  },
  {
    name: "fast",
    holds: ({ fast }) => fast,
    text: () =>
      "--fast asks the relayer for your path: it learns which deposit is yours, and whoever reads its logs",
  },
];

/** Those that hold. */
export function linksOf(facts: LinkFacts): { name: string; text: string }[] {
  return linkWarnings.filter(({ holds }) => holds(facts)).map(({ name, text }) => ({
    name,
    text: text(facts),
  }));
}
