import { checkFailed, checkPassed, type CheckResult, checkWarning } from "../../core/errors/check_result.ts";
import { MAX_OPEN_CLAIMS } from "../../core/protocol/pool_constants.ts";
import type { PoolFacts } from "./pool_facts.ts";

export function jettonChecks(facts: PoolFacts): CheckResult[] {
  return facts.info.assetKind === "jetton"
    ? [checkWallet(facts), checkJettons(facts), checkClaims(facts)]
    : [];
}

/** A pool that trusts another wallet accepts deposits that were not paid. */
function checkWallet({ address, info: { jettonMaster, jettonWallet }, jetton }: PoolFacts): CheckResult {
  const name = "jetton";
  if (!jetton?.expectedWallet) {
    return checkFailed(name, `its jetton does not respond: ${jetton?.fault ?? "the reason is unknown"}`);
  }
  if (!jettonWallet) {
    return checkWarning(
      name,
      `the pool has not asked ${jettonMaster} for its wallet yet: deposits are returned`,
    );
  }
  if (!jettonWallet.equals(jetton.expectedWallet)) {
    return checkFailed(name, `the pool trusts ${jettonWallet}, but its wallet is ${jetton.expectedWallet}`);
  }
  const { walletData } = jetton;
  if (walletData && !(walletData.owner.equals(address) && jettonMaster?.equals(walletData.master))) {
    return checkFailed(name, `${jettonWallet} reports ${walletData.owner} as its owner`);
  }
  return checkPassed(name, `the pool trusts the wallet that ${jettonMaster} assigns to it`);
}

function checkClaims({ info: { claims } }: PoolFacts): CheckResult {
  if (claims === 0) return checkPassed("claims", "none: its wallet refused no payout");
  const text = `its wallet refused ${claims} payouts, which \`tonado pool retry\` can repeat`;
  return checkWarning(
    "claims",
    claims + 2 > MAX_OPEN_CLAIMS ? `${text}; it refuses withdrawals until then` : text,
  );
}

function checkJettons({ info: { deposits, withdrawals }, denomination, jetton }: PoolFacts): CheckResult {
  const balance = jetton?.walletData?.balance ?? 0n;
  const owed = BigInt(deposits - withdrawals) * denomination;
  const text = `${balance} of the smallest unit for ${deposits - withdrawals} notes of ${denomination}`;
  return balance >= owed
    ? checkPassed("jettons", text)
    : checkFailed("jettons", `${text}: short by ${owed - balance}`);
}
