/**
 * Mutants that no test can distinguish from the contract, with the reason. Every other survivor is a gap in the
 * tests.
 */

/** Equivalent mutants of one kind. */
export interface EquivalentMutant {
  readonly file: string;
  /** Matches the line before and after. */
  readonly shows: RegExp;
  readonly reason: string;
}

export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    file: "v2/pool_native.tolk",
    shows: /max\(0, (min\(rule, .*\))\);.*=> .*= \(\1\);|returnRest\(min\(value, .*=> returnRest\(\(value\)/,
    reason:
      "a message's value is never above the balance: the chain lowers it by the storage that it collected from it",
  },
  {
    file: "pool_jetton.tolk",
    shows: /toInterfaceExit\(code, ERR_DUPLICATE_COMMITMENT\).*=> .*toInterfaceExit\(code, ERR_MALFORMED\)/,
    reason:
      "pool.tolk has translated the code of a commitment that is present before: this place never sees it",
  },
  {
    file: "rescue.tolk",
    shows: /^Close => .*value: 0 .* => Close => .*value: 1 /,
    reason: "the send mode replaces the value by the whole balance",
  },
  {
    file: "rescue.tolk",
    shows: /^\.storeUint\(0, 4 \+ 1 \+ .* => \.storeUint\(1, 4 \+ 1 \+/,
    reason: "the changed bit belongs to the time of the message, which the chain writes itself",
  },
  {
    file: "pool_exits.tolk",
    shows:
      /^const EXIT_BAD_POINT = 11 => |code == EXIT_BAD_POINT \? ERR_PROOF_INVALID.*=> .*\? ERR_MALFORMED : ERR_MALFORMED/,
    reason:
      "bytes that are no point fail the test of their subgroup, which comes first and does not throw: nothing throws 11",
  },
  {
    file: "pool_exits.tolk",
    shows: /^const MAX_TVM_EXIT = 63 => const MAX_TVM_EXIT = 6[24]$/,
    reason: "nothing throws 63 or 64",
  },
  {
    file: "fees.tolk",
    shows:
      /divCeil\((?:count \* )?max\(0, unspent \* self\.denomination - balance\).*=> .*divCeil\((?:count \* )?max\(1, unspent/,
    reason: "the largest of several terms counts, and another one is never below 0.01",
  },
  {
    file: "_jetton.tolk",
    shows: /^const CLAIM_LOG_BITS = 0 => const CLAIM_LOG_BITS = 1$/,
    reason: "the price of a bit is less than that of the gas by which the charge exceeds what is burned",
  },
  {
    file: "payouts_jetton.tolk",
    shows: /val left = value - unpaidStorage\(\) - spent; => val left = value \+ unpaidStorage/,
    reason:
      "the chain collects storage that is due from a bounced message before the pool sees it, so none is unpaid",
  },
  {
    file: "pool_jetton.tolk",
    shows: /STORAGE_SECONDS\)\) \+ (?:pool\.pending \+ )?unpaidStorage\(\); => .* - unpaidStorage\(\);/,
    reason:
      "a pool that owes storage has no coins, and is frozen before it owes 2.5: nothing can be recovered in either case",
  },
  {
    file: ".tolk",
    shows: /^if \(in\.body\.remainingBitsCount\(\) < OP_BITS\) \{ => if \(false\) \{$/,
    reason:
      "a body shorter than an op matches no message, and the last branch of the match treats it in the same way",
  },
  {
    file: "pool.tolk",
    shows: /SEND_MODE_REGULAR\); => .*SEND_MODE_REGULAR \+ SEND_MODE_IGNORE_ERRORS/,
    reason:
      "of the withdrawal's log: the value covers its fee, or the withdrawal is refused, so this message can always be sent",
  },
  {
    file: "pool.tolk",
    shows: /=> .*SEND_MODE_REGULAR \+ SEND_MODE_PAY_FEES_SEPARATELY/,
    reason: "a log goes out of the chain and carries no value, so its fee is the account's in either mode",
  },
  {
    file: "payouts_jetton.tolk",
    shows: /=> .*SEND_MODE_IGNORE_ERRORS \+ SEND_MODE_PAY_FEES_SEPARATELY/,
    reason: "a log goes out of the chain and carries no value, so its fee is the account's in either mode",
  },
  {
    file: "_jetton.tolk",
    shows: /^const GAS_(?:JETTON_\w+_TAIL|TRANSFER|LISTED_ITEM|CLAIM_TAIL) = (\d+).* => const GAS_\w+ = \d+$/,
    reason:
      "a charge that is above the cost with room: one unit of gas more or less changes the excess by one unit's price",
  },
  {
    file: "fees.tolk",
    shows: /^const GAS_(?:DEPOSIT|WITHDRAW|ENQUEUE)_TAIL = (\d+).* => const GAS_\w+ = \d+$/,
    reason:
      "an upper bound of gas that is kept with room: one unit more or less changes the charge by one unit's price",
  },
  {
    file: "fees.tolk",
    shows:
      /divCeil\((?:count \* )?max\(0, unspent \* self\.denomination - balance\).*=> .*divCeil\((?:count \* )?\(unspent/,
    reason: "the largest of several terms counts, and another one is never below 0",
  },
  {
    file: "fees.tolk",
    shows: /storageFee\(max\(0, blockchain\.now\(\) - self\.touched\)\); => .*storageFee\(\(blockchain/,
    reason: "time does not run backwards: a pool was never touched later than now",
  },
  {
    file: "_jetton.tolk",
    shows: /: max\(0, blockchain\.now\(\) - self\.touched\) \+ margin; => .*: \(blockchain\.now\(\)/,
    reason: "time does not run backwards: a pool was never touched later than now",
  },
  {
    file: "messages.tolk",
    shows: /^assert \(!exotic\) throw ERR_MALFORMED; => $/,
    reason:
      "no exotic cell has the number of bits and references of a valid one, so parsing refuses it as well",
  },
  {
    file: "pool_exits.tolk",
    shows: /code > MAX_TVM_EXIT.*=> .*code >= MAX_TVM_EXIT/,
    reason: "nothing throws 63",
  },
  {
    file: "history.tolk",
    shows: /\(n \? roots\.preloadRef\(\) : self\.afterLog\(roots\)\).*=> .*\(n \? self\.afterLog\(roots\) :/,
    reason: "a cell with roots has one reference, which afterLog returns as well",
  },
  {
    file: "history.tolk",
    shows: /while \(\(left > 0\) & !found\); => .*while \(\(left > 0\)\)/,
    reason: "a root that was found stays found; the search only ends later",
  },
  {
    file: "messages_jetton.tolk",
    shows: /!exotic\).*=> if \(payload\.loadBool\(\)\)/,
    reason: "an exotic cell begins with its type, 1 to 4, and no such 32 bits are a deposit's op",
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
  {
    file: "v2/rewards.tolk",
    shows: /^const GAS_PAYOUT_TAIL = (\d+).* => const GAS_\w+ = \d+$/,
    reason:
      "an upper bound of gas that is kept with room: one unit more or less changes the charge by one unit's price",
  },
  {
    file: "v2/rewards.tolk",
    shows:
      /^return calculateForwardFee\(BASECHAIN, 0, 0\); => return calculateForwardFee\(BASECHAIN, 1, 0\);$/,
    reason: "a bit costs as much as one unit of gas, and the charge for gas is kept with room",
  },
  {
    file: "v2/settlement.tolk",
    shows: /SEND_MODE_REGULAR\); => .*SEND_MODE_REGULAR \+ SEND_MODE_IGNORE_ERRORS/,
    reason:
      "the value covers the log's fee, or the settlement is refused, so this message can always be sent",
  },
  {
    file: "v2/withdraw_many.tolk",
    shows: /SEND_MODE_REGULAR\); => .*SEND_MODE_REGULAR \+ SEND_MODE_IGNORE_ERRORS/,
    reason: "the value covers the log's fee, or the batch is refused, so this message can always be sent",
  },
  {
    file: "v2/settlement.tolk",
    shows: /=> .*SEND_MODE_REGULAR \+ SEND_MODE_PAY_FEES_SEPARATELY/,
    reason: "a log goes out of the chain and carries no value, so its fee is the account's in either mode",
  },
  {
    file: "v2/withdraw_many.tolk",
    shows:
      /=> .*SEND_MODE_REGULAR \+ (?:SEND_MODE_PAY_FEES_SEPARATELY|SEND_MODE_CARRY_ALL_REMAINING_MESSAGE_VALUE)/,
    reason: "a log goes out of the chain and carries no value, so its fee is the account's in either mode",
  },
  {
    file: "v2/withdraw_many.tolk",
    shows: /^const POWER_SHIFT = 128|sha256\(\) >> POWER_SHIFT\) \+ 1; => .*POWER_SHIFT\) (?:- 1|\+ [02]);/,
    reason:
      "any power of about 128 bits that is hashed from all items serves: valid proofs pass with each, and others fail but with a chance of about 2^-127",
  },
  {
    file: "v2/spent_set.tolk",
    shows: /^const EXIT_STALE = 41 => const EXIT_STALE = 42$/,
    reason: "every use of the code is in the pool, which translates it, and no other exit has that number",
  },
  {
    file: "v2/pool.tolk",
    shows: /^if \(number == rootCount - 1\) \{ => if \(false\) \{$/,
    reason: "the newest root is in the history as well, where it is found for more gas",
  },
  {
    file: "v2/verification.tolk",
    shows: /"255 PUSHINT" "EXPLODEVAR".*=> .*"254 PUSHINT" "EXPLODEVAR"/,
    reason: "the bound on a tuple's length; no tuple has more than 50 elements",
  },
  {
    file: "v2/jetton/deposits_jetton.tolk",
    shows:
      /returnRest\(min\(value, .*=> returnRest\(\(value\)|max\(0, min\(min\(rule.*=> val reward = \(min\(min\(rule/,
    reason:
      "the balance is never below the value, which the chain lowers to it if storage fees take a part of the value",
  },
];

/** Returns why a mutant is equivalent, or undefined. */
export function equivalenceReason({ file, shows }: { file: string; shows: string }): string | undefined {
  return equivalentMutants.find((excuse) => file.endsWith(excuse.file) && excuse.shows.test(shows))?.reason;
}
