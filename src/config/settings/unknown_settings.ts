/** Finds variables that look like settings but are not: a mistyped limit would silently not apply. */
import { distance } from "fastest-levenshtein";
import type { Environment } from "./setting.ts";
import { clientSettings } from "./client_settings.ts";
import type { Setting } from "./setting.ts";
import { serveSettings } from "./serve_settings.ts";
import { deploySettings } from "./deploy_settings.ts";

/** Variables with these prefixes, or one letter off, are reported in any case. */
const OWN_PREFIXES = ["RELAYER", "INDEXER"];
/** Tests and tools use these prefixes too, so only names close to a setting are reported. */
const SHARED_PREFIX_PATTERN = /^(TONADO|DATABASE|POSTGRES|CACHE|REDIS)_/;
const MAX_SUGGESTION_DISTANCE = 2;

export function findUnknownSettings(env: Environment): string[] {
  const all = [serveSettings, deploySettings, clientSettings].flatMap((table) =>
    Object.values<Setting<unknown>>(table)
  );
  const known = new Set(all.flatMap(({ name, alias }) => alias === undefined ? [name] : [name, alias]));
  const lines = [];
  for (const name of Object.keys(env).sort()) {
    const ours = hasOwnPrefix(name);
    if (known.has(name) || !(ours || SHARED_PREFIX_PATTERN.test(name))) continue;
    const near = [...known].map((each) => ({ each, letters: distance(name, each) }))
      .sort((a, b) => a.letters - b.letters)[0];
    const meant = near.letters <= MAX_SUGGESTION_DISTANCE ? near.each : undefined;
    if (meant === undefined && !ours) continue;
    lines.push(
      `${name} is not a setting and has no effect${meant === undefined ? "" : `: did you mean ${meant}?`}`,
    );
  }
  return lines;
}

function hasOwnPrefix(name: string): boolean {
  const [word, ...rest] = name.split("_");
  return rest.length > 0 && OWN_PREFIXES.some((own) => distance(word, own) <= 1);
}
