/** An endpoint with false answers: the wallet's seqno, the chain's time, the chain's head. */
import type { Chain } from "../../src/ton/chain.ts";
import type { SeededRandom } from "../random/seeded_random.ts";
import type { World } from "./world.ts";

/** The false values. The values of absent members stay true. */
export interface EndpointLie {
  /** Replaces the wallet's seqno in its account. */
  readonly seqno?: (honest: number) => number;
  /** Replaces the Unix seconds in every account. */
  readonly time?: (honest: number) => number;
  /** Replaces the seqno of the newest masterchain block. */
  readonly head?: (honest: number) => number;
}

/** Returns `chain` with the false values of `lie`. */
export function withLies(chain: Chain, world: World, lie: () => EndpointLie): Chain {
  return {
    ...chain,
    async masterchainSeqno(options) {
      const honest = await chain.masterchainSeqno(options);
      return lie().head?.(honest) ?? honest;
    },
    async account(address, options) {
      const honest = await chain.account(address, options);
      const { seqno, time } = lie();
      const altered = time ? { ...honest, syncUtime: time(honest.syncUtime) } : honest;
      if (!seqno || !address.equals(world.wallet.address)) return altered;
      return { ...altered, data: world.walletData(seqno(world.seqno)) };
    },
  };
}

const MINUTE = 60;
const YEAR = 365 * 86_400;

export const lieKinds = ["lying seqno", "lying chain time", "lying head"] as const;

/** Draws a false value of a kind. */
export function drawLie(kind: (typeof lieKinds)[number], random: SeededRandom): EndpointLie {
  switch (kind) {
    case "lying seqno": {
      const off = random.pick([-7, -1, 1, 2, 1_000]);
      return { seqno: (honest) => Math.max(0, honest + off) };
    }
    case "lying chain time": {
      const off = random.pick([-YEAR, -MINUTE, MINUTE, 2 * MINUTE, YEAR]);
      return { time: (honest) => honest + off };
    }
    case "lying head": {
      const off = random.pick([-1_000, 1_000, 2 ** 40]);
      return { head: (honest) => Math.max(0, honest + off) };
    }
  }
}
