/** Committed before the first contribution, so that it cannot be adapted to a finished ceremony unnoticed. */
import * as z from "zod";
import committed from "../../../artifacts/ceremony.json" with { type: "json" };
import { circuitsOfVersion, circuitsVersion, type PerCircuit } from "../../core/crypto/groth16.ts";
import { Problem } from "../../core/errors/problem.ts";
import { pluralize } from "../../core/protocol/units.ts";
import { contributionsOf, type Transcript } from "./transcript/transcript.ts";

const MIN_SIGNED_CONTRIBUTIONS = 3; // by different named contributors, for mainnet
export const MAX_PLAN_BYTES = 1_000_000;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const initialKeys = (version: 1 | 2): z.ZodType<PerCircuit<string>> =>
  z.strictObject(Object.fromEntries(circuitsOfVersion[version].map((name) => [name, sha256])));
const keySetPlan = (version: 1 | 2) => ({
  initialKeys: initialKeys(version).nullable(), // null before `tonado ceremony init`
  contributors: z.array(z.strictObject({
    name: z.string().min(1).max(100),
    /** Ed25519, in hex. */
    publicKey: z.string().regex(/^[0-9a-f]{64}$/),
    coordinator: z.boolean().optional(),
  })).refine((list) => new Set(list.map(({ publicKey }) => publicKey)).size === list.length, {
    message: "lists a public key twice",
  }),
  /** Mainnet requires it. Added when the value has been published. */
  beacon: z.strictObject({ source: z.string(), round: z.int().nonnegative(), value: z.string() }).optional(),
});
/** The ceremony of version 2 pools has its own keys and contributors. */
const planSchema = z.strictObject({
  ...keySetPlan(1),
  version2: z.strictObject(keySetPlan(2)).optional(),
});

/** What a release expects of the ceremonies of both versions. */
export type CeremonyPlan = z.infer<typeof planSchema>;
type KeySetPlan = Omit<CeremonyPlan, "version2">;

export function planOf(plan: CeremonyPlan, { circuits }: Pick<Transcript, "circuits">): KeySetPlan {
  if (circuitsVersion(circuits) === 1) return plan;
  return plan.version2 ?? { initialKeys: null, contributors: [] };
}

export function committedPlan(): CeremonyPlan {
  return planSchema.parse(committed);
}

/** Throws `invalid_config` with the first invalid member. */
export function parseCeremonyPlan(bytes: Uint8Array): CeremonyPlan {
  let detail: string;
  try {
    const { data, error } = planSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    if (data) return data;
    const [{ path, message }] = error.issues;
    detail = `/${path.join("/")}: ${message}`;
  } catch {
    detail = "it is not JSON";
  }
  throw new Problem("invalid_config", undefined, { errors: [{ pointer: "--plan", detail }] });
}

/** Returns the named contributors who signed a verified transcript, each once. */
export function namedSigners(transcript: Transcript, plan: CeremonyPlan): KeySetPlan["contributors"] {
  const { contributors } = planOf(plan, transcript);
  const keys = new Set(contributionsOf(transcript).map(({ signature }) => signature?.publicKey));
  return contributors.filter(({ publicKey }) => keys.has(publicKey));
}

export function contributorShortfall(transcript: Transcript, plan: CeremonyPlan): string | undefined {
  const signers = namedSigners(transcript, plan);
  if (signers.length < MIN_SIGNED_CONTRIBUTIONS) {
    return `${pluralize(signers.length, "contribution")} signed by contributors that the release names, ` +
      `${MIN_SIGNED_CONTRIBUTIONS} are required`;
  }
  return signers.every(({ coordinator }) => coordinator)
    ? "every signed contribution is the coordinator's, at least one must be another's"
    : undefined;
}

export const WEAK_LABEL = "weak";

export function keysLabel(transcript: Transcript, plan: CeremonyPlan): string {
  const weak = contributorShortfall(transcript, plan) === undefined ? "" : `${WEAK_LABEL} `;
  return `${weak}ceremony keys, ${pluralize(contributionsOf(transcript).length, "contribution")}, ` +
    `${namedSigners(transcript, plan).length} signed by named contributors, and a beacon`;
}
