/** Pure functions from facts to verdicts. `failed` means that depositing is unsafe. */
import type { Address } from "@ton/core";
import { formatNative } from "../../core/protocol/units.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { checkFailed, checkPassed, type CheckResult, checkWarning } from "../../core/errors/check_result.ts";
import { MIN_NETWORK_VERSION } from "../../ton/network_version.ts";
import { type PoolFunds, poolFunds, surplusEnd } from "../../ton/pool/pool_funds.ts";
import { jettonChecks } from "./jetton_checks.ts";
import type { PoolFacts } from "./pool_facts.ts";
import { v2Checks } from "./v2/v2_checks.ts";

export type { CheckResult as Check } from "../../core/errors/check_result.ts";

/** Fraction of the capacity above which a successor should be deployed. */
export const NEARLY_FULL_RATIO = 0.9;
const MIN_RUNWAY_YEARS = 1;

export function auditChecks(facts: PoolFacts): CheckResult[] {
  return [
    checkNetwork(facts),
    checkCode(facts),
    checkOrigin(facts),
    checkKeys(facts),
    checkOwner(facts),
    checkRegistry(facts),
    checkPause(facts),
    checkCapacity(facts),
    checkBalance(auditedFunds(facts)),
    checkRunway(auditedFunds(facts), facts.readAt),
    ...facts.version2 ? v2Checks(facts, facts.version2) : [checkTree(facts)],
    checkWithdrawals(facts),
    ...jettonChecks(facts),
  ];
}

/** The gas of deposits that wait becomes debt when they are settled. */
export function auditedFunds({ version2, ...facts }: PoolFacts): PoolFunds {
  const debt = facts.info.debt + (version2?.settleInfo.pending ?? 0n);
  return poolFunds({ ...facts, info: { ...facts.info, debt } });
}

function checkNetwork({ networkVersion }: PoolFacts): CheckResult {
  const text = `runs version ${networkVersion} of TVM`;
  return networkVersion >= MIN_NETWORK_VERSION
    ? checkPassed("network", text)
    : checkFailed("network", `${text}; the pool needs ${MIN_NETWORK_VERSION}`);
}

function checkCode({ codeHash, build }: PoolFacts): CheckResult {
  return codeHash === build.codeHash ? checkPassed("code", `is this build's, ${codeHash}`) : checkFailed(
    "code",
    `has hash ${codeHash}, this build's has ${build.codeHash}: its behavior is unknown`,
  );
}

/** An address commits to the initial state, so nothing was planted before the deployment. */
function checkOrigin({ generation }: PoolFacts): CheckResult {
  return generation !== undefined
    ? checkPassed(
      "origin",
      `the address follows from an empty pool of this denomination and owner, generation ${generation}`,
    )
    : checkFailed(
      "origin",
      "the address does not follow from an empty pool: its deployer may have planted roots",
    );
}

function checkKeys(
  { network, codeHash, build: { codeHash: expected, vkeyHash, keys } }: PoolFacts,
): CheckResult {
  if (codeHash !== expected) return checkFailed("keys", "unknown, because the code is unknown");
  if (keys.weak) return checkWarning("keys", `${keys.label}: fewer contributors than mainnet requires`);
  if (!keys.development) return checkPassed("keys", `${keys.label}, ${vkeyHash}`);
  const text = `${keys.label}: their makers can forge withdrawals`;
  return network === "mainnet" ? checkFailed("keys", text) : checkWarning("keys", text);
}

function checkOwner({ network, info: { owner } }: PoolFacts): CheckResult {
  if (owner === null) {
    return checkPassed("owner", "none: deposits cannot be paused and funds cannot be withdrawn");
  }
  const text = `${
    formatAddress(owner, network)
  } can pause deposits and withdraw funds above the pool's obligations`;
  return network === "mainnet" ? checkFailed("owner", text) : checkWarning("owner", text);
}

function checkRegistry(
  { registryEntry, info, denomination, generation, codeHash, build }: PoolFacts,
): CheckResult {
  if (!registryEntry) return checkWarning("registry", "the pool is not in the registry");
  const { deployment, key } = registryEntry;
  const differences = [
    deployment.denomination === denomination ? "" : "denomination",
    (deployment.version ?? 1) === info.version ? "" : "version",
    generation === undefined || (deployment.generation ?? 0) === generation ? "" : "generation",
    sameAddress(deployment.owner, info.owner) ? "" : "owner",
    deployment.codeHash === codeHash ? "" : "code",
    deployment.vkeyHash === build.vkeyHash ? "" : "verification keys",
    (deployment.asset === "native") === (info.assetKind === "native") ? "" : "asset",
    sameAddress(deployment.jettonMaster, info.jettonMaster) ? "" : "jetton",
    sameAddress(deployment.jettonWallet, info.jettonWallet) ? "" : "jetton wallet",
  ].filter((what) => what !== "");
  return differences.length === 0
    ? checkPassed("registry", `matches the registry's entry ${key}`)
    : checkFailed("registry", `the registry's ${key} has another ${differences.join(", ")}`);
}

function sameAddress(a: Address | null | undefined, b: Address | null): boolean {
  return a && b ? a.equals(b) : !a && !b;
}

function checkPause({ info: { paused } }: PoolFacts): CheckResult {
  return paused
    ? checkWarning("paused", "its owner has paused deposits; withdrawals still work")
    : checkPassed("paused", "no: deposits are open");
}

function checkCapacity({ info: { deposits, capacity } }: PoolFacts): CheckResult {
  const text = `${deposits} of ${capacity} deposits (${(100 * deposits / capacity).toFixed(1)} %)`;
  if (deposits >= capacity) {
    return checkWarning("capacity", `${text}: full, withdrawals still work; deploy a successor`);
  }
  if (deposits >= NEARLY_FULL_RATIO * capacity) {
    return checkWarning("capacity", `${text}: nearly full, deploy a successor`);
  }
  return checkPassed("capacity", text);
}

function checkBalance({ available, unspentNotes, debt, surplus, shortfall }: PoolFunds): CheckResult {
  const has = `${formatNative(available)} after unpaid storage fees`;
  const notes = `notes worth ${formatNative(unspentNotes)}, of which withdrawals repay ${formatNative(debt)}`;
  return shortfall === 0n
    ? checkPassed("balance", `${has}, covers ${notes}; the surplus is ${formatNative(surplus)}`)
    : checkFailed("balance", `${has}, is short by ${formatNative(shortfall)} for ${notes}`);
}

function checkRunway(funds: PoolFunds, readAt: number): CheckResult {
  const { runwayYears, reserveYears, surplus } = funds;
  const end = surplus > 0n
    ? `; storage will have consumed the surplus of ${formatNative(surplus)} ${
      formatDate(surplusEnd(funds, readAt))
    }`
    : "";
  const text = `storage is paid for ${formatYears(runwayYears)}, ` +
    `and for ${formatYears(reserveYears)} after every note is withdrawn${end}`;
  if (runwayYears < MIN_RUNWAY_YEARS) {
    return checkFailed(
      "runway",
      `${text}: top it up now with \`tonado pool rescue\``,
    );
  }
  return reserveYears < MIN_RUNWAY_YEARS
    ? checkWarning("runway", `${text}: top it up with \`tonado pool rescue\``)
    : checkPassed("runway", text);
}

/** JavaScript has no dates after the year 275760. */
function formatDate(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999
    ? "never"
    : `by ${date.toISOString().slice(0, 10)}`;
}

function checkTree({ rebuilt, nextIndex, roots, currentRoot, info }: PoolFacts): CheckResult {
  const { leaves, fault, rootHistory } = rebuilt;
  if (fault) return checkFailed("tree", `no pool writes these logs: ${fault}`);
  if (leaves !== nextIndex || leaves !== info.deposits) {
    return checkFailed("tree", `the pool's logs contain ${leaves} deposits, the pool reports ${nextIndex}`);
  }
  if (currentRoot !== rootHistory[0]) {
    return checkFailed("tree", `${leaves} leaves from the pool's logs give another root`);
  }
  return roots.length === rootHistory.length && roots.every((root, i) => root === rootHistory[i])
    ? checkPassed(
      "tree",
      `${leaves} leaves from the pool's logs give its root and the ${roots.length} roots that it accepts`,
    )
    : checkFailed("tree", "it accepts roots that the leaves from its logs do not give");
}

function checkWithdrawals(
  { rebuilt: { withdrawals, distinctNullifiers }, info }: PoolFacts,
): CheckResult {
  const text = `${withdrawals} in the pool's logs`;
  if (distinctNullifiers !== withdrawals) {
    return checkFailed(
      "withdrawals",
      `${text}, ${withdrawals - distinctNullifiers} of them of a note spent before`,
    );
  }
  return withdrawals === info.withdrawals && withdrawals <= info.deposits
    ? checkPassed("withdrawals", `${text}, each of a different note`)
    : checkFailed(
      "withdrawals",
      `${text}, but its getters report ${info.withdrawals} of ${info.deposits} deposits`,
    );
}

function formatYears(count: number): string {
  return `${count >= 100 ? "more than 100" : count.toFixed(1)} years`;
}
