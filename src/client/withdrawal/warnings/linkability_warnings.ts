/** Finds facts that link a withdrawal to its deposit in spite of the proof. */

/** Undefined members are unknown. */
export interface LinkabilityFacts {
  /** Deposits of others. */
  readonly laterDeposits?: number;
  readonly depositAgeSeconds?: number;
  readonly recipientUsed?: boolean;
  /** The recipient holds contract code that is not a known wallet. */
  readonly recipientIsContract?: boolean;
  /** The recipient of jettons has no coins and gets no refund that pays for a transfer. */
  readonly recipientWithoutGas?: boolean;
  readonly recipientIsDepositor: boolean;
  /** Another note of the store was sent to the recipient, even if the chain does not show it yet. */
  readonly recipientReused?: boolean;
  readonly pathFromRelayer: boolean;
  readonly selfRelayed: boolean;
  /** The endpoint that serves the withdrawal also served the deposit. */
  readonly sameEndpoint?: boolean;
}

/** Fewer later deposits produce the warning `few_deposits`. */
const MIN_LATER_DEPOSITS = 10;
const MIN_DEPOSIT_AGE_SECONDS = 24 * 3600; // a younger deposit produces the warning `soon`

/** The codes with their conditions, the most severe first. Each program has its own texts for them. */
const conditions = {
  no_gas: ({ recipientWithoutGas }) => recipientWithoutGas === true,
  contract: ({ recipientIsContract }) => recipientIsContract === true,
  own_wallet: ({ recipientIsDepositor }) => recipientIsDepositor,
  self: ({ selfRelayed }) => selfRelayed,
  recipient_reused: ({ recipientReused }) => recipientReused === true,
  recipient_used: ({ recipientUsed }) => recipientUsed === true,
  recipient_unchecked: ({ recipientUsed }) => recipientUsed === undefined,
  few_deposits: ({ laterDeposits }) => laterDeposits !== undefined && laterDeposits < MIN_LATER_DEPOSITS,
  soon: ({ depositAgeSeconds }) =>
    depositAgeSeconds !== undefined && depositAgeSeconds < MIN_DEPOSIT_AGE_SECONDS,
  unknown_deposit: ({ depositAgeSeconds }) => depositAgeSeconds === undefined,
  path_from_relayer: ({ pathFromRelayer }) => pathFromRelayer,
  same_endpoint: ({ sameEndpoint }) => sameEndpoint === true,
} satisfies Record<string, (facts: LinkabilityFacts) => boolean>;

/** Codes of facts that may link a withdrawal, or make its money hard to reach. */
export type LinkabilityCode = keyof typeof conditions;

/** All codes, the most severe first. */
export const linkabilityCodes: readonly LinkabilityCode[] = Object.keys(conditions) as LinkabilityCode[];

/**
 * Returns the codes that apply to a withdrawal, the most severe first.
 * @example
 * ```ts
 * for (const code of findLinkability(facts)) console.warn(texts[code]);
 * ```
 */
export function findLinkability(facts: LinkabilityFacts): LinkabilityCode[] {
  return linkabilityCodes.filter((code) => conditions[code](facts));
}
