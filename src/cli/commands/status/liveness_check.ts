/** Liveness check for containers without a shell: one request to the relayer. */
import { findVariable } from "../../../config/settings/setting.ts";
import { serveSettings } from "../../../config/settings/serve_settings.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { parseRelayerUrl } from "../../../core/text/urls.ts";
import type { CliContext } from "../../context.ts";

/** Shorter than usual health check timeouts, so that the check ends with a reason. */
const LIVENESS_TIMEOUT_MS = 5000;

const connectableHosts: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function localRelayerUrl(env: CliContext["env"]): string {
  const set = (setting: typeof serveSettings.host | typeof serveSettings.port) =>
    findVariable(setting, env)?.value ?? setting.default;
  const host = connectableHosts[set(serveSettings.host)] ?? set(serveSettings.host);
  return `http://${host.includes(":") ? `[${host}]` : host}:${set(serveSettings.port)}`;
}

/** Throws `invalid_config` for a malformed URL, `relayer_unavailable` for another status than 200. */
export async function checkLiveness(relayer: string | undefined, env: CliContext["env"]): Promise<string> {
  const url = relayer === undefined ? localRelayerUrl(env) : parseRelayerUrl(relayer, "--live");
  let failure: string;
  try {
    const { status, body } = await fetch(`${url}/livez`, {
      signal: AbortSignal.timeout(LIVENESS_TIMEOUT_MS),
    });
    await body?.cancel();
    if (status === 200) return url;
    failure = `GET /livez returned status ${status}`;
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  throw new Problem("relayer_unavailable", undefined, { errors: [{ pointer: url, detail: failure }] });
}
