/** Programs may rely on the names of faults. `forged_folders_test.ts` contains a forgery for each. */
import { Problem } from "../../core/errors/problem.ts";

export const transcriptFaults = {
  entry_out_of_order: "does not follow the preceding entry",
  entry_altered: "does not match its hash",
  entry_repeated: "repeats",
  signature_invalid: "has a signature that does not verify",
  beacon_not_last: "is followed by another entry",
  beacon_without_contribution: "follows no contribution: the secret of a beacon is public",
  beacon_not_announced: "was not announced before the last contribution",
  beacon_value_mismatch: "does not follow from its value and the announced number of iterations",
  coordinate_not_canonical: "has a coordinate that is not below q",
  point_outside_group: "contains a point outside",
  challenge_mismatch: "does not answer the challenge of the preceding contributions",
  secret_not_proven: "does not prove that its secret was known",
  delta_not_proven: "changes delta by a factor other than its secret",
  delta_unchanged: "does not change delta",
  delta_reset: "returns to the initial delta",
  delta_differs_between_groups: "has another delta in G2 than in G1",
  contribution_hash_mismatch: "does not match its contribution hash",
} as const;

type TranscriptFault = keyof typeof transcriptFaults;

export function transcriptFault(what: string, fault: TranscriptFault, rest = ""): Problem {
  const text = [what, transcriptFaults[fault], rest].filter(Boolean).join(" ");
  return new Problem("invalid_ceremony", text, { members: { fault } });
}

export function faultOf(error: Problem): TranscriptFault | undefined {
  return error.members.fault as TranscriptFault | undefined;
}
