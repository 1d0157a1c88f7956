/** Whether a relayer lives, for health checks of containers that have no shell: one request, no chain, no settings. */
import { given } from "../config/setting.ts";
import { settings } from "../config/settings.ts";
import { Problem } from "../core/errors.ts";
import { relayerUrl } from "../core/urls.ts";
import type { Wiring } from "./wiring.ts";

/** A health check is killed and counted as failed by whoever runs it: better to end first, with a reason. */
const PATIENCE_MS = 5000;

/** Addresses that mean every interface, where one can listen but not ask. */
const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Where a `serve` with this environment listens. */
function servedUrl(env: Wiring["env"]): string {
  const set = (setting: typeof settings.host | typeof settings.port) =>
    given(setting, env)?.value ?? setting.default;
  const host = everywhere[set(settings.host)] ?? set(settings.host);
  return `http://${host.includes(":") ? `[${host}]` : host}:${set(settings.port)}`;
}

/**
 * Asks `GET /livez`.
 *
 * @param relayer base URL; undefined: the one that `serve` listens at
 * @returns the base URL that was asked
 * @throws {Problem} `invalid_config` for what is no URL; `relayer_unavailable` when the answer is anything but 200
 */
export async function requireLife(relayer: string | undefined, env: Wiring["env"]): Promise<string> {
  const url = relayer === undefined ? servedUrl(env) : relayerUrl(relayer, "--live");
  let said: string;
  try {
    const { status, body } = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    await body?.cancel();
    if (status === 200) return url;
    said = `GET /livez answers ${status}`;
  } catch (error) {
    said = error instanceof Error ? error.message : String(error);
  }
  throw new Problem("relayer_unavailable", undefined, { errors: [{ pointer: url, detail: said }] });
}
