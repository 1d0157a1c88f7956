/** The committed gas snapshot. */
import { fills } from "./fills.ts";
import {
  type GasFigures,
  type GasMeasurement,
  kinds,
  measureFill,
  measureMostExpensive,
  measureParts,
  measureSize,
  measureVerification,
  type Size,
} from "./measure.ts";
import type { PoolKind } from "./measured_pool.ts";
import { measureRules } from "./rules.ts";
import type { GasParts } from "./trace.ts";
import { measureV2 } from "./v2_figures.ts";
import { measureV2Getters, type V2GetterFigures } from "./v2_get_methods.ts";
import { measureV2Jetton } from "./v2_jetton_figures.ts";

export const SNAPSHOT_PATH = "testkit/gas/gas_snapshot.json";

/** The name of the fill at which the gas of messages is split into parts. */
export const TRACED_FILL = "100,000";

export interface GasSnapshot {
  /** The gas of verification alone, by message. */
  readonly verification: GasFigures;
  /** Gas by kind of pool, then by fill. */
  readonly gas: Record<PoolKind, Record<string, GasMeasurement>>;
  /** Gas by kind of pool, message and part, at {@link TRACED_FILL}. */
  readonly parts: Record<PoolKind, Record<string, GasParts>>;
  /** The gas of the most expensive deposit and withdrawal that an attacker can cause. */
  readonly dearest: Record<PoolKind, { deposit: number; withdraw: number }>;
  readonly size: Record<PoolKind, Record<string, Size>>;
  /** The gas of each rule that protects money, at {@link TRACED_FILL}. */
  readonly rules: GasFigures;
  /** The gas of a version 2 pool's messages. */
  readonly version2: GasFigures;
  /** The gas of a version 2 jetton pool's messages. */
  readonly version2Jetton: GasFigures;
  /** The gas of the get methods of version 2 pools, by kind of pool. */
  readonly version2Getters: Record<PoolKind, V2GetterFigures>;
}

export async function takeSnapshot(): Promise<GasSnapshot> {
  const gas = { native: {}, jetton: {} } as GasSnapshot["gas"];
  const parts = {} as GasSnapshot["parts"];
  const size = { native: {}, jetton: {} } as GasSnapshot["size"];
  const dearest = {} as GasSnapshot["dearest"];
  for (const kind of kinds) {
    for (const fill of fills) {
      gas[kind][fill.name] = await measureFill(kind, fill);
      if (fill.name === TRACED_FILL) parts[kind] = await measureParts(kind, fill);
    }
    dearest[kind] = await measureMostExpensive(kind);
  }
  for (const fill of fills) {
    const sizes = measureSize(fill);
    for (const kind of kinds) size[kind][fill.name] = sizes[kind];
  }
  const version2 = await measureV2();
  const version2Jetton = await measureV2Jetton();
  const version2Getters = {
    native: await measureV2Getters("native"),
    jetton: await measureV2Getters("jetton"),
  };
  const rules = await measureRules();
  return {
    verification: await measureVerification(),
    gas,
    parts,
    dearest,
    size,
    rules,
    version2,
    version2Jetton,
    version2Getters,
  };
}

export async function readSnapshot(): Promise<GasSnapshot> {
  return JSON.parse(await Deno.readTextFile(new URL(`../../${SNAPSHOT_PATH}`, import.meta.url)));
}
