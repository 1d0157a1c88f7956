const POLL_INTERVAL_MS = 50;

/** Polls until `holds`. Throws with `claim` after `timeoutMs`, by default ten minutes: it only ends a wait that would never end. */
export async function waitUntil(
  claim: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 600_000,
): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  throw new Error(`did not happen within ${timeoutMs / 1000} s: ${claim}`);
}
