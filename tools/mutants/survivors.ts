/** Mutants that no test can tell from the contract, and why; what is not here and survives is a gap. */

/** Survivors of one kind. */
export interface Excuse {
  readonly file: string;
  /** What their line reads, before and after. */
  readonly shows: RegExp;
  readonly reason: string;
}

export const excuses: readonly Excuse[] = [
  {
    file: "pool.tolk",
    shows: /=> .*SEND_MODE_REGULAR \+ SEND_MODE_PAY_FEES_SEPARATELY/,
    reason: "a log goes out of the chain and carries no value, so its fee is the account's in either mode",
  },
  {
    file: "messages_jetton.tolk",
    shows: /!exotic .*=> val referred = payload\.loadBool\(\) & \(inside/,
    reason: "an exotic cell begins with its type, 1 to 4, and no such 32 bits are a deposit's op",
  },
  {
    file: "fees_jetton.tolk",
    shows: /jettonStorageFee\(max\(0, .*=> .*jettonStorageFee\(\(?blockchain\.now\(\) - self\.touched/,
    reason: "time does not run backwards: a pool was never touched later than now",
  },
  {
    file: "messages_jetton.tolk",
    shows: /remainingBitsCount\(\) > 32\); => .*remainingBitsCount\(\) > 31\)/,
    reason: "an op with nothing behind it is malformed whether it is passed on or not",
  },
  {
    file: "pool_jetton.tolk",
    shows:
      /sendExcesses\(sender, left - gas, queryId, SEND_MODE_BOUNCE_ON_ACTION_FAIL\); => .*SEND_MODE_REGULAR\)/,
    reason:
      "this action cannot fail: less gas was burned than was asked for, and what is left pays for the message",
  },
  {
    file: "set.tolk",
    shows: /while \(!found & !last\); => .*while \(!last\)/,
    reason: "a key that was found stays found; the search only ends later",
  },
  {
    file: "set.tolk",
    shows: /node\.splitAt\(NODE_TAGS \* TAG_BITS, side\); => .*NODE_TAGS \+ TAG_BITS, side\)/,
    reason: "wherever a node's bits are parted, they are put together again in their order",
  },
];

/** Why a survivor is none. */
export function excuseOf({ file, shows }: { file: string; shows: string }): string | undefined {
  return excuses.find((excuse) => file.endsWith(excuse.file) && excuse.shows.test(shows))?.reason;
}
