/** What a version that waits would change, value by value. Loaded when one waits. */
import type { VersionContent } from "./protocol.ts";

export interface SettingChange {
  /** The members that lead to the value, such as `relayers` or `pools.native-10-v2.address`. */
  readonly name: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export interface VersionChanges {
  /** The names of files that differ. */
  readonly files: readonly string[];
  readonly settings: readonly SettingChange[];
}

export function findVersionChanges(running: VersionContent, waiting: VersionContent): VersionChanges {
  const [before, after] = [running, waiting].map(({ config }) => valuesOf(JSON.parse(config)));
  const settings = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, next] = [before.get(name) ?? [], after.get(name) ?? []];
    if (old.join("\n") === next.join("\n")) return [];
    const removed = old.filter((value) => !next.includes(value));
    const added = next.filter((value) => !old.includes(value));
    const isOrder = removed.length + added.length === 0;
    return [{ name, removed: isOrder ? old : removed, added: isOrder ? next : added }];
  });
  // The same values in other places: the whole text shows it.
  if (settings.length === 0 && !isSameJson(running.config, waiting.config)) {
    settings.push({ name: "app_config", removed: [running.config], added: [waiting.config] });
  }
  const names = [...new Set([running, waiting].flatMap(({ files }) => Object.keys(files)))];
  const files = names.filter((name) => running.files[name]?.sha256 !== waiting.files[name]?.sha256).sort();
  return { files, settings };
}

function isSameJson(one: string, other: string): boolean {
  return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
}

/**
 * Returns the values by their names: the members that lead to them. Several values can have one name, as in a list of
 * texts. All of them are returned, so that none hides another.
 */
function valuesOf(value: unknown, path: readonly string[] = []): Map<string, readonly string[]> {
  if (Array.isArray(value) && !value.some((each) => typeof each === "object")) {
    return new Map([[path.join("."), value.map(String)]]);
  }
  if (typeof value !== "object" || value === null) return new Map([[path.join("."), [String(value)]]]);
  const values = new Map<string, readonly string[]>();
  for (const [name, each] of Object.entries(value)) {
    const key = path.at(-1) === name ? path : [...path, (each as { id?: string } | null)?.id ?? name];
    for (const [label, found] of valuesOf(each, key)) {
      values.set(label, [...values.get(label) ?? [], ...found]);
    }
  }
  return values;
}
