/** The sentences for what may link a withdrawal to its deposit. */
import type {
  LinkabilityCode,
  LinkabilityFacts,
} from "../../../client/withdrawal/warnings/linkability_warnings.ts";
import { pluralize } from "../../../core/protocol/units.ts";

type WarningFacts = Pick<LinkabilityFacts, "laterDeposits">;

const texts: Record<LinkabilityCode, string | ((facts: WarningFacts) => string)> = {
  no_gas:
    "the recipient has no coins, and no refund that pays for a transfer of jettons is requested: it cannot move " +
    "them until someone sends it coins, which links the two. Ask for one with --refund 0.05",
  contract: "the recipient is a contract, but not a known wallet: make sure that money sent to it can be " +
    "withdrawn again",
  own_wallet: "the recipient is the wallet that paid the deposit, which links the two publicly",
  self: "your wallet sends the withdrawal, so the chain shows it beside the recipient. Use a relayer",
  recipient_reused:
    "another note of this store was sent to the recipient, so everyone sees that both belong to one person. Use a " +
    "fresh address",
  recipient_used:
    "the recipient has been used before, and what is known about it will be linked to you. Use a fresh address",
  recipient_unchecked:
    "the recipient was not looked up: check yourself that it is a wallet and has not been used",
  few_deposits: ({ laterDeposits = 0 }) =>
    (laterDeposits === 0 ? "no deposit" : `only ${pluralize(laterDeposits, "deposit")}`) +
    " of others came after yours, so the anonymity set is small. It grows with time",
  soon:
    "the deposit is less than a day old: a withdrawal of the same amount so soon suggests that it is yours",
  unknown_deposit:
    "the note store does not have this note's deposit time and depositor, so some warnings may be missing: " +
    "run `tonado note check`",
  path_from_relayer:
    "--fast requests your path from the relayer, which reveals your deposit to it and to readers of its logs",
  same_endpoint:
    "this endpoint also served the deposit, so its operator may link the two. Use another --endpoint",
};

export function warningText(code: LinkabilityCode, facts: WarningFacts): string {
  const text = texts[code];
  return typeof text === "string" ? text : text(facts);
}
