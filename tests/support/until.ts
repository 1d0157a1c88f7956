/** Waiting for something that happens elsewhere. */

const POLL_MS = 50;

/** Polls until `holds`; fails with `claim` after `patienceMs`, by default a minute. */
export async function until(
  claim: string,
  holds: () => Promise<boolean>,
  patienceMs = 60_000,
): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`did not happen within ${patienceMs / 1000} s: ${claim}`);
}
