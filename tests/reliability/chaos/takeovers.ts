/** How long nobody leads after a leader was killed, on a machine that does nothing else for the relayer. */
import { Random } from "../simulation/random.ts";
import { startFaultProxy } from "../../support/fault_proxy.ts";
import { until } from "../../support/until.ts";
import { openBackend } from "./backend.ts";
import { Fleet } from "./fleet.ts";
import { ChaosNetwork } from "./network.ts";

const PATIENCE_MS = 600_000;
const POOL = "native-1";
/** Longer than a leader waits between two renewals: it may die at any point of them. */
const LONGEST_PAUSE_MS = 2_000;

/** Kills a leader of two replicas on PostgreSQL so many times; milliseconds until the other says that it leads. */
export async function measureTakeovers(rounds: number, seed: number): Promise<number[]> {
  const random = new Random(seed);
  await using net = await ChaosNetwork.start({ random, pools: [POOL] });
  await using backend = await openBackend("postgres");
  await using proxy = startFaultProxy({ target: net.localnet.url, seed });
  await using fleet = new Fleet(net, proxy, 2, backend.env);
  await fleet.startAll();
  const took: number[] = [];
  while (took.length < rounds) {
    await until("every replica is ready", () => fleet.isReady(net), PATIENCE_MS);
    await until("one leads", async () => await fleet.leader() !== undefined, PATIENCE_MS);
    await new Promise((resolve) => setTimeout(resolve, random.int(0, LONGEST_PAUSE_MS)));
    const leader = await fleet.leader();
    if (!leader) continue;
    await leader.end("SIGKILL");
    const died = performance.now();
    await until("the other leads", async () => await fleet.leader() !== undefined, PATIENCE_MS);
    took.push(performance.now() - died);
    await leader.start();
  }
  return took;
}
