/** Measures the time without a leader after a leader was killed, on an otherwise idle machine. */
import { SeededRandom } from "../random/seeded_random.ts";
import { startFaultProxy } from "../servers/fault_proxy.ts";
import { waitUntil } from "../programs/wait_until.ts";
import { openBackend } from "./backend.ts";
import { Fleet } from "./fleet.ts";
import { TrapdoorNetwork } from "../localnet/trapdoor_network.ts";

const TIMEOUT_MS = 600_000;
const POOL = "native-1";
/**
 * This is longer than the time between two renewals of the lease, so that the leader is killed at any point
 * between them.
 */
const MAX_PAUSE_MS = 2_000;

/**
 * Kills a leader of two replicas on PostgreSQL `rounds` times. Returns the milliseconds until the other
 * replica reports that it leads.
 */
export async function measureTakeovers(rounds: number, seed: number): Promise<number[]> {
  const random = new SeededRandom(seed);
  await using net = await TrapdoorNetwork.start({ random, pools: [POOL] });
  await using backend = await openBackend("postgres");
  await using proxy = startFaultProxy({ target: net.localnet.url, seed });
  await using fleet = new Fleet(net, proxy, 2, backend.env);
  await fleet.startAll();
  const took: number[] = [];
  while (took.length < rounds) {
    await waitUntil("every replica is ready", () => fleet.isReady(net), TIMEOUT_MS);
    await waitUntil("one leads", async () => await fleet.leader() !== undefined, TIMEOUT_MS);
    await new Promise((resolve) => setTimeout(resolve, random.int(0, MAX_PAUSE_MS)));
    const leader = await fleet.leader();
    if (!leader) continue;
    await leader.stop("SIGKILL");
    const died = performance.now();
    await waitUntil("the other leads", async () => await fleet.leader() !== undefined, TIMEOUT_MS);
    took.push(performance.now() - died);
    await leader.start();
  }
  return took;
}
