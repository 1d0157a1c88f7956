/** A chain endpoint whose answers are counted and timed, and that knows how it is doing. It changes no answer. */
import { Problem } from "../../core/errors/problem.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Chain } from "../chain.ts";

/** A chain that knows how it is doing. */
export interface InstrumentedChain extends Chain {
  /** How the last answer was: undefined before the first. */
  lastOutcome(): "ok" | "failed" | undefined;
}

/** What an endpoint is to blame for; a contract's own refusal is an answer. */
const ENDPOINT_FAULT_CODES = new Set(["chain_unavailable", "chain_inconsistent"]);
/** What ends a call before it has an answer. */
const NOT_ANSWERED_CODES = new Set(["cancelled", "overloaded"]);

/** Watches `chain`. */
export function instrumentChain(chain: Chain, metrics: Pick<Metrics, "recordChainCall">): InstrumentedChain {
  let last: "ok" | "failed" | undefined;
  async function watched<T>(call: string, answer: Promise<T>): Promise<T> {
    const began = performance.now();
    const ended = (outcome: "ok" | "failed") => {
      last = outcome;
      metrics.recordChainCall(call, outcome, (performance.now() - began) / 1000);
    };
    try {
      const value = await answer;
      ended("ok");
      return value;
    } catch (error) {
      const code = error instanceof Problem ? error.code : undefined;
      if (code === undefined || !NOT_ANSWERED_CODES.has(code)) {
        ended(code !== undefined && !ENDPOINT_FAULT_CODES.has(code) ? "ok" : "failed");
      }
      throw error;
    }
  }
  const { network, verifier: witness } = chain;
  return {
    network,
    ...witness &&
      { verifier: { hasTransaction: (...args) => watched("transactions", witness.hasTransaction(...args)) } },
    lastOutcome: () => last,
    masterchainSeqno: (...args) => watched("masterchainSeqno", chain.masterchainSeqno(...args)),
    masterchainSeqnoAt: (...args) => watched("masterchainSeqnoAt", chain.masterchainSeqnoAt(...args)),
    account: (...args) => watched("account", chain.account(...args)),
    transactions: (...args) => watched("transactions", chain.transactions(...args)),
    runGetMethod: (...args) => watched("get", chain.runGetMethod(...args)),
    configParam: (...args) => watched("configParam", chain.configParam(...args)),
    send: (...args) => watched("send", chain.send(...args)),
  };
}
