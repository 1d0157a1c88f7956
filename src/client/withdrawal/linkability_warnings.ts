/** What would link a withdrawal to its deposit in spite of the proof. Users are warned beforehand. */
import { pluralize } from "../../core/protocol/units.ts";

/** Undefined members are unknown. */
export interface LinkabilityFacts {
  readonly laterDeposits?: number;
  readonly depositAgeSeconds?: number;
  readonly recipientUsed?: boolean;
  readonly recipientIsDepositor: boolean;
  readonly pathFromRelayer: boolean;
  readonly selfRelayed: boolean;
}

const MIN_LATER_DEPOSITS = 10;
const MIN_DEPOSIT_AGE_SECONDS = 24 * 3600;

interface LinkabilityWarning {
  readonly name: string;
  readonly applies: (facts: LinkabilityFacts) => boolean;
  readonly message: (facts: LinkabilityFacts) => string;
}

/** The most severe first. */
export const linkabilityWarnings: readonly LinkabilityWarning[] = [
  {
    name: "own_wallet",
    applies: ({ recipientIsDepositor }) => recipientIsDepositor,
    message: () => "the recipient is the wallet that paid the deposit, which links the two publicly",
  },
  {
    name: "self",
    applies: ({ selfRelayed }) => selfRelayed,
    message: () =>
      "your wallet sends the withdrawal, so the chain shows it beside the recipient. Use a relayer",
  },
  {
    name: "recipient_used",
    applies: ({ recipientUsed }) => recipientUsed === true,
    message: () =>
      "the recipient has been used before, and what is known about it will be linked to you. Use a fresh address",
  },
  {
    name: "recipient_unchecked",
    applies: ({ recipientUsed }) => recipientUsed === undefined,
    message: () =>
      "the recipient was not looked up: check yourself that it is a wallet and has not been used",
  },
  {
    name: "few_deposits",
    applies: ({ laterDeposits }) => laterDeposits !== undefined && laterDeposits < MIN_LATER_DEPOSITS,
    message: ({ laterDeposits }) =>
      (laterDeposits === 0 ? "no deposit" : `only ${pluralize(laterDeposits!, "deposit")}`) +
      " came after yours, so the anonymity set is small. It grows with time",
  },
  {
    name: "soon",
    applies: ({ depositAgeSeconds }) =>
      depositAgeSeconds !== undefined && depositAgeSeconds < MIN_DEPOSIT_AGE_SECONDS,
    message: () =>
      "the deposit is less than a day old: a withdrawal of the same amount so soon suggests that it is yours",
  },
  {
    name: "unknown_deposit",
    applies: ({ depositAgeSeconds }) => depositAgeSeconds === undefined,
    message: () =>
      "the note store does not have this note's deposit time and depositor, so some warnings may be missing: " +
      "run `tonado note check`",
  },
  {
    name: "fast",
    applies: ({ pathFromRelayer }) => pathFromRelayer,
    message: () =>
      "--fast requests your path from the relayer, which reveals your deposit to it and to readers of its logs",
  },
];

export function findLinkabilityWarnings(facts: LinkabilityFacts): { name: string; text: string }[] {
  return linkabilityWarnings.filter(({ applies }) => applies(facts))
    .map(({ name, message }) => ({ name, text: message(facts) }));
}
