/** The URL is a secret, so no error contains it. Failures are dropped: logs have the same information. */
import type { Secret } from "../core/text/secret.ts";
import { backoffMs } from "../core/time/backoff.ts";
import type { Log } from "./log.ts";

const MAX_DELIVERY_ATTEMPTS = 5;
const MIN_REDELIVERY_DELAY_MS = 1_000;
const DELIVERY_TIMEOUT_MS = 10_000;

interface WebhookOptions {
  readonly url: Secret<string>;
  readonly log: Log;
  readonly fetch?: typeof fetch;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Never throws. Ends early when `signal` aborts. */
export async function postAlert(
  document: Readonly<Record<string, unknown>>,
  { url, log, sleep, fetch: send = fetch }: WebhookOptions,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify(document);
  for (let attempt = 1; !signal.aborted; attempt++) {
    const failure = await postOnce(url.reveal(), body, send, signal);
    if (failure === undefined) return;
    if (!failure.isRetryable || attempt === MAX_DELIVERY_ATTEMPTS) {
      log.error("an alert could not be delivered: {reason}", { reason: failure.reason });
      return;
    }
    await sleep(backoffMs(attempt, { initialMs: MIN_REDELIVERY_DELAY_MS, maxMs: Infinity }), signal);
  }
}

interface DeliveryFailure {
  readonly reason: string;
  readonly isRetryable: boolean;
}

async function postOnce(
  url: string,
  body: string,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<DeliveryFailure | undefined> {
  try {
    const response = await send(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(DELIVERY_TIMEOUT_MS)]),
      redirect: "error", // an alert must only reach the configured URL
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    return { reason: `it responded with status ${status}`, isRetryable: status === 429 || status >= 500 };
  } catch {
    return { reason: "it does not respond", isRetryable: true };
  }
}
