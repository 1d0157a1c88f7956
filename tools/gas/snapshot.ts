/** The committed snapshot: what is measured, and where it is kept. */
import { fills } from "./fills.ts";
import {
  type Figures,
  kinds,
  measureDearest,
  measureFill,
  type Measurement,
  measureParts,
  measureSize,
  measureVerification,
  type Size,
} from "./measure.ts";
import type { Kind } from "./bench.ts";
import type { Parts } from "./trace.ts";

export const SNAPSHOT_PATH = "tests/gas/gas_snapshot.json";

/** Whose parts are told, by name of the fill. */
export const DISSECTED_FILL = "100,000";

export interface Snapshot {
  /** Gas of verification alone, by message. */
  readonly verification: Figures;
  /** By kind of pool, then by fill. */
  readonly gas: Record<Kind, Record<string, Measurement>>;
  /** By kind of pool, then by message; at DISSECTED_FILL. */
  readonly parts: Record<Kind, Record<string, Parts>>;
  /** Gas of the dearest deposit and withdrawal that an attacker can cause. */
  readonly dearest: Record<Kind, { deposit: number; withdraw: number }>;
  readonly size: Record<Kind, Record<string, Size>>;
}

export async function takeSnapshot(): Promise<Snapshot> {
  const gas = { native: {}, jetton: {} } as Snapshot["gas"];
  const parts = {} as Snapshot["parts"];
  const size = { native: {}, jetton: {} } as Snapshot["size"];
  const dearest = {} as Snapshot["dearest"];
  for (const kind of kinds) {
    for (const fill of fills) {
      gas[kind][fill.name] = await measureFill(kind, fill);
      if (fill.name === DISSECTED_FILL) parts[kind] = await measureParts(kind, fill);
    }
    dearest[kind] = await measureDearest(kind);
  }
  for (const fill of fills) {
    const sizes = measureSize(fill);
    for (const kind of kinds) size[kind][fill.name] = sizes[kind];
  }
  return { verification: await measureVerification(), gas, parts, dearest, size };
}

export async function readSnapshot(): Promise<Snapshot> {
  return JSON.parse(await Deno.readTextFile(new URL(`../../${SNAPSHOT_PATH}`, import.meta.url)));
}
