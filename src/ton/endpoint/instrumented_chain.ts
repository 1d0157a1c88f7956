import { Problem } from "../../core/errors/problem.ts";
import { type Clock, monotonicClock } from "../../core/time/clock.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Chain } from "../chain.ts";
import { interceptChain } from "./intercepted_chain.ts";

export interface InstrumentedChain extends Chain {
  lastOutcome(): "ok" | "failed" | undefined;
}

/** Errors of the endpoint itself. A contract's rejection is a valid response. */
const ENDPOINT_FAULT_CODES = new Set(["chain_unavailable", "chain_inconsistent"]);
/** Calls that ended before a response; they are not measured. */
const NOT_ANSWERED_CODES = new Set(["cancelled", "overloaded"]);

export function instrumentChain(
  chain: Chain,
  metrics: Pick<Metrics, "recordChainCall">,
  clock: Clock = monotonicClock,
): InstrumentedChain {
  let last: "ok" | "failed" | undefined;
  async function measure<T>(name: string, call: () => Promise<T>): Promise<T> {
    const startedAt = clock.now();
    const record = (outcome: "ok" | "failed") => {
      last = outcome;
      metrics.recordChainCall(name, outcome, (clock.now() - startedAt) / 1000);
    };
    try {
      const value = await call();
      record("ok");
      return value;
    } catch (error) {
      const code = error instanceof Problem ? error.code : undefined;
      if (code === undefined || !NOT_ANSWERED_CODES.has(code)) {
        record(code !== undefined && !ENDPOINT_FAULT_CODES.has(code) ? "ok" : "failed");
      }
      throw error;
    }
  }
  const { verifier } = chain;
  return {
    ...interceptChain(chain, measure),
    ...verifier && {
      verifier: {
        ...verifier,
        hasTransaction: (...args) => measure("transactions", () => verifier.hasTransaction(...args)),
      },
    },
    lastOutcome: () => last,
  };
}
