/** A load campaign: many notes at once, with fewer faults per note than in the other campaigns. */
import type { CampaignPlan, CampaignReport } from "./campaign.ts";

const POOLS = ["native-1", "native-10", "jet-10"];
const NOTES_PER_WAVE = { plain: 5, deep: 16 };
/** The waves and kills per unit of depth of a deep run. */
const DEEP_WAVES = 4;
const DEEP_KILLS = 2;

/** Returns the plan of a load test. @param depth 1: some dozens of notes; 15: thousands */
export function loadPlan(
  { depth, ...rest }: Pick<CampaignPlan, "seed" | "onProgress"> & { readonly depth: number },
): CampaignPlan {
  return {
    ...rest,
    store: "pooled",
    replicas: 2,
    wallet: "v5R1",
    pools: POOLS,
    waves: depth === 1 ? 1 : DEEP_WAVES * depth,
    notesPerWave: depth === 1 ? NOTES_PER_WAVE.plain : NOTES_PER_WAVE.deep,
    faultProbability: 0.05,
    kills: depth === 1 ? 1 : DEEP_KILLS * depth,
    killAt: "anywhere",
    fuzzedRequests: 20 * depth,
  };
}

/** Formats the results of a run as a line. */
export function figures({ plan, deposits, paid, kills, restarts, faults, seconds }: CampaignReport): string {
  const met = [...faults.values()].reduce((all, count) => all + count, 0);
  return `load of seed ${plan.seed}: ${deposits} notes in and ${paid} out in ${seconds.toFixed(0)} s, ` +
    `${kills} kills, ${restarts} restarts, ${met} faults`;
}
