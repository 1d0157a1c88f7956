/**
 * Posts alerts to the operator's URL. Delivery is tried a few times and then given up: the log and the metrics say the
 * same, and a relayer must not hang on its operator's chat. The URL is a secret, so no error repeats it.
 */
import type { Secret } from "../core/secret.ts";
import type { Log } from "./log.ts";

const ATTEMPTS = 5;
const FIRST_DELAY_MS = 1_000;
const TIMEOUT_MS = 10_000;

/** What a webhook needs of the outside. */
export interface WebhookOptions {
  readonly url: Secret<string>;
  readonly log: Log;
  readonly fetch?: typeof fetch;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Posts one document as JSON. Never throws; ends early when `signal` aborts. */
export async function postAlert(
  document: Readonly<Record<string, unknown>>,
  { url, log, sleep, fetch: send = fetch }: WebhookOptions,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify(document);
  for (let attempt = 1; !signal.aborted; attempt++) {
    const failure = await attemptOnce(url.reveal(), body, send, signal);
    if (failure === undefined) return;
    if (!failure.mayMend || attempt === ATTEMPTS) {
      log.error("an alert could not be delivered: {reason}", { reason: failure.reason });
      return;
    }
    await sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), signal);
  }
}

interface Failure {
  readonly reason: string;
  readonly mayMend: boolean;
}

async function attemptOnce(
  url: string,
  body: string,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    const response = await send(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      redirect: "error", // an alert goes nowhere but where it was meant to
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    return { reason: `it answers ${status}`, mayMend: status === 429 || status >= 500 };
  } catch {
    return { reason: "it does not answer", mayMend: true };
  }
}
