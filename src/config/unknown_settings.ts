/**
 * Variables that look like settings and are none: a bound that is mistyped is a bound that does not hold, and nobody
 * would notice.
 */
import { distance } from "fastest-levenshtein";
import type { Environment } from "./config.ts";
import { clientSettings } from "./client_settings.ts";
import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";
import { toolSettings } from "./tool_settings.ts";

/** Everything that begins so is ours, and what is a letter beside it is meant to. */
const OURS = ["RELAYER", "INDEXER"];
/** Of these some are the tests' and the tools': only what is nearly a setting is told. */
const SHARED = /^(TONADO|DATABASE|POSTGRES|CACHE|REDIS)_/;
/** Letters that a name may differ in to be taken for another one. */
const NEAR = 2;

/** One line a variable that is set and never read, with the setting that may be meant. */
export function unknownSettings(env: Environment): string[] {
  const all = [settings, toolSettings, clientSettings].flatMap((table) =>
    Object.values<Setting<unknown>>(table)
  );
  const known = new Set(all.flatMap(({ name, alias }) => alias === undefined ? [name] : [name, alias]));
  const lines = [];
  for (const name of Object.keys(env).sort()) {
    const ours = isOurs(name);
    if (known.has(name) || !(ours || SHARED.test(name))) continue;
    const near = [...known].map((each) => ({ each, letters: distance(name, each) }))
      .sort((a, b) => a.letters - b.letters)[0];
    const meant = near.letters <= NEAR ? near.each : undefined;
    if (meant === undefined && !ours) continue;
    lines.push(
      `${name} is no setting and is not read${meant === undefined ? "" : `: is ${meant} meant?`}`,
    );
  }
  return lines;
}

function isOurs(name: string): boolean {
  const [word, ...rest] = name.split("_");
  return rest.length > 0 && OURS.some((own) => distance(word, own) <= 1);
}
