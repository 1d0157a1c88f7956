/**
 * Sends valid and almost valid requests by the API's document while relayers are killed and the endpoint
 * fails. The document must list every answer, and no answer may be an internal error.
 */
import fc from "fast-check";
import type { SeededRandom } from "../random/seeded_random.ts";
import { arbitraryRequests, createResponseValidator } from "../relayer/openapi.ts";
import { waitUntil } from "../programs/wait_until.ts";
import type { Fleet, ReplicaResponse } from "./fleet.ts";
import type { DepositedNote, TrapdoorNetwork } from "../localnet/trapdoor_network.ts";

export interface FuzzReport {
  /** The number of requests with an answer. */
  answered: number;
  /** The number of answers of 5xx, without 503, which asks the client to retry. */
  errors: number;
  readonly violations: string[];
}

const TIMEOUT_MS = 600_000;
const PAUSE_MS = 40;

/** Sends `count` requests, one after another: some similar to the withdrawal of `placed`, some arbitrary. */
export async function fuzz(
  net: TrapdoorNetwork,
  fleet: Fleet,
  random: SeededRandom,
  placed: DepositedNote,
  count: number,
): Promise<FuzzReport> {
  const report: FuzzReport = { answered: 0, errors: 0, violations: [] };
  let document: ReplicaResponse | undefined;
  await waitUntil("somebody has the document", async () => {
    document = await fleet.pickRunning(random)?.request("/openapi.json");
    return document?.status === 200;
  }, TIMEOUT_MS);
  const wrong = createResponseValidator(document!.body);
  const good = net.withdrawalBody(placed);
  const { nullifierHash } = net.statusQuery(placed);
  const requests = arbitraryRequests(document!.body, {
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
    const answer = await fleet.pickRunning(random)?.fetch(path + query, {
      method,
      ...body !== undefined && { body, headers: { "content-type": "application/json" } },
    });
    if (answer) {
      report.answered++;
      if (answer.status >= 500 && answer.status !== 503) report.errors++;
      const fault = wrong(request, answer);
      if (fault) {
        report.violations.push(`${method} ${path}${query} ${body}: ${fault} ${JSON.stringify(answer.body)}`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return report;
}
