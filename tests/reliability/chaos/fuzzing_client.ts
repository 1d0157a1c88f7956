/**
 * Somebody who sends whatever the API's own document allows, or nearly allows, to relayers that are being killed behind an
 * endpoint that is failing. Every answer must be one that the document names, and none an internal error.
 */
import fc from "fast-check";
import type { Random } from "../simulation/random.ts";
import { fuzzedRequests, judge } from "../../support/openapi.ts";
import { until } from "../../support/until.ts";
import type { Answer, Fleet } from "./fleet.ts";
import type { ChaosNetwork, PlacedNote } from "./network.ts";

/** What came of it. */
export interface FuzzReport {
  /** Requests that were answered. */
  answered: number;
  /** Answers of 5xx but 503, which says when to come again. */
  errors: number;
  readonly wrong: string[];
}

const PATIENCE_MS = 600_000;
const PAUSE_MS = 40;

/** Sends `count` requests, one after another, near the withdrawal of `placed` and near everything else. */
export async function fuzz(
  net: ChaosNetwork,
  fleet: Fleet,
  random: Random,
  placed: PlacedNote,
  count: number,
): Promise<FuzzReport> {
  const report: FuzzReport = { answered: 0, errors: 0, wrong: [] };
  let document: Answer | undefined;
  await until("somebody has the document", async () => {
    document = await fleet.any(random)?.ask("/openapi.json");
    return document?.status === 200;
  }, PATIENCE_MS);
  const wrong = judge(document!.body);
  const good = net.withdrawal(placed);
  const { nullifierHash } = net.query(placed);
  const requests = fuzzedRequests(document!.body, {
    pool: [good.pool],
    recipient: [good.recipient],
    publicSignals: good.publicSignals,
    fee: [good.fee],
    refund: [good.refund],
    nullifierHash: [nullifierHash],
    pi_a: good.proof.pi_a,
    pi_c: good.proof.pi_c,
  });
  const seed = random.int(0, 2 ** 30);
  for (const request of fc.sample(requests, { numRuns: count, seed })) {
    const { path, method, query, body } = request;
    const answer = await fleet.any(random)?.fetch(path + query, {
      method,
      ...body !== undefined && { body, headers: { "content-type": "application/json" } },
    });
    if (answer) {
      report.answered++;
      if (answer.status >= 500 && answer.status !== 503) report.errors++;
      const fault = wrong(request, answer);
      if (fault) {
        report.wrong.push(`${method} ${path}${query} ${body}: ${fault} ${JSON.stringify(answer.body)}`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return report;
}
