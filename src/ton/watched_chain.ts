/** A chain endpoint whose answers are counted and timed, and that knows how it is doing. It changes no answer. */
import { Problem } from "../core/errors.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Chain } from "./chain.ts";

/** A chain that knows how it is doing. */
export interface WatchedChain extends Chain {
  /** How the last answer was: undefined before the first. */
  lastAnswer(): "ok" | "failed" | undefined;
}

/** What an endpoint is to blame for; a contract's own refusal is an answer. */
const FAULTS = new Set(["chain_unavailable", "chain_inconsistent"]);
/** What ends a call before it has an answer. */
const UNASKED = new Set(["cancelled", "overloaded"]);

/** Watches `chain`. */
export function watchChain(chain: Chain, metrics: Pick<Metrics, "chainCall">): WatchedChain {
  let last: "ok" | "failed" | undefined;
  async function watched<T>(call: string, answer: Promise<T>): Promise<T> {
    const began = performance.now();
    const ended = (outcome: "ok" | "failed") => {
      last = outcome;
      metrics.chainCall(call, outcome, (performance.now() - began) / 1000);
    };
    try {
      const value = await answer;
      ended("ok");
      return value;
    } catch (error) {
      const code = error instanceof Problem ? error.code : undefined;
      if (code === undefined || !UNASKED.has(code)) {
        ended(code !== undefined && !FAULTS.has(code) ? "ok" : "failed");
      }
      throw error;
    }
  }
  const { network, witness } = chain;
  return {
    network,
    ...witness && { witness: { knows: (...args) => watched("transactions", witness.knows(...args)) } },
    lastAnswer: () => last,
    masterchainSeqno: (...args) => watched("masterchainSeqno", chain.masterchainSeqno(...args)),
    masterchainSeqnoAt: (...args) => watched("masterchainSeqnoAt", chain.masterchainSeqnoAt(...args)),
    account: (...args) => watched("account", chain.account(...args)),
    transactions: (...args) => watched("transactions", chain.transactions(...args)),
    get: (...args) => watched("get", chain.get(...args)),
    configParam: (...args) => watched("configParam", chain.configParam(...args)),
    send: (...args) => watched("send", chain.send(...args)),
  };
}
