/** What is asked of a jetton pool beside all others: facts in, verdicts out. */
import { type Check, failed, ok, warning } from "../core/check.ts";
import type { PoolFacts } from "./pool_facts.ts";

/** Empty for a native pool. */
export function jettonChecks(facts: PoolFacts): Check[] {
  return facts.info.assetKind === "jetton" ? [checkWallet(facts), checkJettons(facts)] : [];
}

/** Discovery against getter: a pool that listens to another wallet takes deposits that nobody paid. */
function checkWallet({ address, info: { jettonMaster, jettonWallet }, jetton }: PoolFacts): Check {
  const name = "jetton";
  if (!jetton?.given) {
    return failed(name, `its jetton does not answer: ${jetton?.fault ?? "nothing is known"}`);
  }
  if (!jettonWallet) {
    return warning(name, `the pool has not asked ${jettonMaster} for its wallet yet: deposits come back`);
  }
  if (!jettonWallet.equals(jetton.given)) {
    return failed(name, `the pool listens to ${jettonWallet}, its wallet is ${jetton.given}`);
  }
  const { wallet } = jetton;
  if (wallet && !(wallet.owner.equals(address) && jettonMaster?.equals(wallet.master))) {
    return failed(name, `${jettonWallet} says that it is the wallet of ${wallet.owner}`);
  }
  return ok(name, `the pool listens to the wallet that ${jettonMaster} gives it`);
}

function checkJettons({ info: { deposits, withdrawals }, denomination, jetton }: PoolFacts): Check {
  const held = jetton?.wallet?.balance ?? 0n;
  const owed = BigInt(deposits - withdrawals) * denomination;
  const text = `${held} of the smallest unit for ${deposits - withdrawals} notes of ${denomination}`;
  return held >= owed ? ok("jettons", text) : failed("jettons", `${text}: short by ${owed - held}`);
}
