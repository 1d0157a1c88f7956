import type { Network } from "../../../core/protocol/network.ts";
import type { IssuerFacts } from "../../../ops/deploy/jetton_issuer.ts";
import type { TrialOutcome } from "../../../ops/deploy/deploy.ts";
import { formatPoolAddress } from "../../options/chain_options.ts";

type NamedFact = readonly [name: string, value: string];

/** `none_found` proves nothing: an issuer can lock wallets by other means than `get_status` shows. */
type LockState = "unlocked" | "locked" | "none_found" | "unknown";

const LOCK_TEXTS: Record<LockState, string> = {
  unlocked: "the issuer can lock wallets (they have get_status); yours is not locked now",
  locked: "the issuer can lock wallets (they have get_status); yours is locked now",
  none_found: "wallets have no get_status, but the issuer may lock them in another way",
  unknown: "unknown: your wallet holds none of the jetton, so it has no jetton wallet to check",
};

const REFUSALS_TEXT = "cannot be checked: if wallets refuse to pay one address, " +
  "255 withdrawals to it block this pool for good";

export const TRIAL_TEXTS: Record<TrialOutcome, string> = {
  returned: "one unit went through the pool and came back",
  skipped: "not run: the wallet holds too few units of the jetton",
  earlier: "no unit went through the pool: it has paid out before or is in the registry",
};

/** `attached` is the formatted value of the trials' messages. */
export function describePlannedTrial(attached: string, movesUnit: boolean): string {
  const move = movesUnit ? ", and one unit through the pool and back" : "";
  return `sends one unit to a new address, where it stays${move}; attaches ${attached}, most of which returns`;
}

export function describeIssuer(facts: IssuerFacts, network: Network): readonly NamedFact[] {
  const { admin, mintable, masterUpgradable, walletUpgradable } = facts;
  const whom = admin ? `admin ${formatPoolAddress(admin, network)}` : "no admin";
  return [
    ["issuer", `${whom}; the master reports that ${mintable ? "more" : "no more"} can be minted`],
    ["upgrades", `master: ${describeCode(masterUpgradable)}; wallets: ${describeCode(walletUpgradable)}`],
    ["locks", LOCK_TEXTS[lockState(facts)]],
    ["refusals", REFUSALS_TEXT],
  ];
}

function describeCode(upgradable: boolean | undefined): string {
  if (upgradable === undefined) return "unknown, because the code is in a library";
  return upgradable ? "the code may replace itself (SETCODE)" : "no SETCODE";
}

/** Returns the member `issuer` of the JSON output; null for what cannot be read. */
export function issuerToJson(facts: IssuerFacts, network: Network): object {
  return {
    admin: facts.admin && formatPoolAddress(facts.admin, network),
    mintable: facts.mintable,
    masterUpgradable: facts.masterUpgradable ?? null,
    walletUpgradable: facts.walletUpgradable ?? null,
    walletLock: lockState(facts),
  };
}

function lockState({ walletStatus }: IssuerFacts): LockState {
  if (walletStatus === undefined) return "unknown";
  if (walletStatus === null) return "none_found";
  return walletStatus === 0 ? "unlocked" : "locked";
}
