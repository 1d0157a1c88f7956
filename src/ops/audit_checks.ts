/**
 * What is asked of a deployed pool, one check a line: facts in, verdicts out. It reads nothing; `inspect.ts` gathers the
 * facts. A verdict of `failed` means that depositing there is unsafe.
 */
import type { Address } from "@ton/core";
import { formatUnits } from "../core/units.ts";
import { shownAddress } from "../core/shown_address.ts";
import { type Check, failed, ok, warning } from "../core/check.ts";
import { jettonChecks } from "./jetton_checks.ts";
import type { PoolFacts } from "./pool_facts.ts";

export type { Check } from "../core/check.ts";

/** Money of a pool, in nano, and how long it lasts. */
export interface PoolMoney {
  /** Balance less the storage that is due. */
  readonly available: bigint;
  /** What the notes that are not withdrawn will be paid. */
  readonly notes: bigint;
  /** Gas of deposits that withdrawals still pay back. */
  readonly debt: bigint;
  /** Notes and debt. */
  readonly obligations: bigint;
  /** What the notes would not be paid of; 0 in a sound pool. */
  readonly shortfall: bigint;
  /** Years until the balance is gone and the account freezes. */
  readonly runwayYears: number;
  /** The same for what is left when every note is withdrawn. */
  readonly reserveYears: number;
}

/** Share of the capacity from which on it is time for a successor. */
export const NEARLY_FULL = 0.9;
const LEAST_YEARS = 1;

/** The money of a pool; a jetton pool's notes are not paid from its balance. */
export function poolMoney({ info, denomination, balance, due, perYear }: PoolFacts): PoolMoney {
  const available = balance > due ? balance - due : 0n;
  const notes = info.assetKind === "native" ? BigInt(info.deposits - info.withdrawals) * denomination : 0n;
  const { debt } = info;
  // Each withdrawal brings its share of the debt with it, so that much of the notes need not be there now.
  const reserve = available + debt - notes;
  return {
    available,
    notes,
    debt,
    obligations: notes + debt,
    shortfall: reserve < 0n ? -reserve : 0n,
    runwayYears: years(available, perYear),
    reserveYears: years(reserve < 0n ? 0n : reserve, perYear),
  };
}

/** Every check, in the order in which they matter. */
export function auditChecks(facts: PoolFacts): Check[] {
  return [
    checkCode(facts),
    checkOrigin(facts),
    checkKeys(facts),
    checkOwner(facts),
    checkRegistry(facts),
    checkPause(facts),
    checkCapacity(facts),
    checkBalance(poolMoney(facts)),
    checkRunway(poolMoney(facts)),
    checkTree(facts),
    checkWithdrawals(facts),
    ...jettonChecks(facts),
  ];
}

function checkCode({ codeHash, build }: PoolFacts): Check {
  return codeHash === build.codeHash
    ? ok("code", `is this build's, ${codeHash}`)
    : failed("code", `has hash ${codeHash}, this build's has ${build.codeHash}: what it does is unknown`);
}

/** An address commits to the first state: nobody began with roots, notes or spent nullifiers of their own. */
function checkOrigin({ generation }: PoolFacts): Check {
  return generation !== undefined
    ? ok(
      "origin",
      `the address follows from an empty pool of this denomination and owner, generation ${generation}`,
    )
    : failed(
      "origin",
      "the address does not follow from an empty pool: it may have begun with roots of somebody's own",
    );
}

function checkKeys({ network, codeHash, build: { codeHash: expected, vkeyHash, keys } }: PoolFacts): Check {
  if (codeHash !== expected) return failed("keys", "unknown, as the code is");
  if (!keys.development) return ok("keys", `${keys.label}, ${vkeyHash}`);
  const text = `${keys.label}: whoever made them can forge withdrawals`;
  return network === "mainnet" ? failed("keys", text) : warning("keys", text);
}

function checkOwner({ network, info: { owner } }: PoolFacts): Check {
  if (owner === null) return ok("owner", "none: nobody can pause it or take from it");
  const text = `${
    shownAddress(owner, network)
  } can pause deposits and take what is above the pool's obligations`;
  return network === "mainnet" ? failed("owner", text) : warning("owner", text);
}

function checkRegistry({ listed, info, denomination, generation, codeHash, build }: PoolFacts): Check {
  if (!listed) return warning("registry", "the pool is not in the registry");
  const { deployment, key } = listed;
  const differs = [
    deployment.denomination === denomination ? "" : "denomination",
    generation === undefined || (deployment.generation ?? 0) === generation ? "" : "generation",
    same(deployment.owner, info.owner) ? "" : "owner",
    deployment.codeHash === codeHash ? "" : "code",
    deployment.vkeyHash === build.vkeyHash ? "" : "verification keys",
    (deployment.asset === "native") === (info.assetKind === "native") ? "" : "asset",
    same(deployment.jettonMaster, info.jettonMaster) ? "" : "jetton",
    same(deployment.jettonWallet, info.jettonWallet) ? "" : "jetton wallet",
  ].filter((what) => what !== "");
  return differs.length === 0
    ? ok("registry", `is what the registry says of ${key}`)
    : failed("registry", `the registry's ${key} has another ${differs.join(", ")}`);
}

function same(a: Address | null | undefined, b: Address | null): boolean {
  return a && b ? a.equals(b) : !a && !b;
}

function checkPause({ info: { paused } }: PoolFacts): Check {
  return paused
    ? warning("paused", "its owner has paused deposits; withdrawals go on")
    : ok("paused", "no: deposits are open");
}

function checkCapacity({ info: { deposits, capacity } }: PoolFacts): Check {
  const text = `${deposits} of ${capacity} deposits (${(100 * deposits / capacity).toFixed(1)} %)`;
  if (deposits >= capacity) {
    return warning("capacity", `${text}: full, withdrawals go on; deploy a successor`);
  }
  if (deposits >= NEARLY_FULL * capacity) {
    return warning("capacity", `${text}: nearly full, deploy a successor`);
  }
  return ok("capacity", text);
}

function checkBalance({ available, notes, debt, obligations, shortfall }: PoolMoney): Check {
  const owed = `notes worth ${formatUnits(notes)} and a debt of ${formatUnits(debt)}`;
  const has = `${formatUnits(available)} after the storage that is due`;
  if (available >= obligations) {
    return ok("balance", `${has}, covers ${owed} with ${formatUnits(available - obligations)} over`);
  }
  return shortfall === 0n
    ? ok("balance", `${has}, covers the notes as withdrawals pay back the debt: ${owed}`)
    : failed("balance", `${has}, is short by ${formatUnits(shortfall)} for ${owed}`);
}

function checkRunway({ runwayYears, reserveYears }: PoolMoney): Check {
  const text = `storage is paid for ${shown(runwayYears)}, for ${
    shown(reserveYears)
  } when every note is withdrawn`;
  if (runwayYears < LEAST_YEARS) {
    return failed(
      "runway",
      `${text}: top it up now, by a message that does not bounce, before anything else`,
    );
  }
  return reserveYears < LEAST_YEARS ? warning("runway", `${text}: top it up`) : ok("runway", text);
}

function checkTree({ rebuilt, nextIndex, roots, currentRoot, info }: PoolFacts): Check {
  const { leaves, fault, lastRoots } = rebuilt;
  if (fault) return failed("tree", `the pool's logs make no tree: ${fault}`);
  if (leaves !== nextIndex || leaves !== info.deposits) {
    return failed("tree", `the pool's logs tell of ${leaves} deposits, the pool of ${nextIndex}`);
  }
  if (currentRoot !== lastRoots[0]) {
    return failed("tree", `${leaves} leaves from the pool's logs make another root`);
  }
  return roots.length === lastRoots.length && roots.every((root, i) => root === lastRoots[i])
    ? ok(
      "tree",
      `${leaves} leaves from the pool's logs make its root and the ${roots.length} that it accepts`,
    )
    : failed("tree", "it accepts roots that the leaves from its logs do not make");
}

function checkWithdrawals({ rebuilt: { withdrawals, spent }, info }: PoolFacts): Check {
  const text = `${withdrawals} in the pool's logs`;
  if (spent !== withdrawals) {
    return failed("withdrawals", `${text}, with ${withdrawals - spent} notes spent twice`);
  }
  return withdrawals === info.withdrawals && withdrawals <= info.deposits
    ? ok("withdrawals", `${text}, each of another note`)
    : failed("withdrawals", `${text}, ${info.withdrawals} of ${info.deposits} deposits by its getters`);
}

/** Of a year, in hundredths; what costs nothing lasts for ever. */
function years(nano: bigint, perYear: bigint): number {
  return perYear === 0n ? Infinity : Number(nano * 100n / perYear) / 100;
}

function shown(count: number): string {
  return `${count >= 100 ? "more than 100" : count.toFixed(1)} years`;
}
