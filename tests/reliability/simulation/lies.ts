/** An endpoint that says what is not so: of the wallet's seqno, of the chain's time, of its head. */
import type { Chain } from "../../../src/ton/chain.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** What an endpoint says instead of the truth; what is absent it says as it is. */
export interface Lie {
  /** The wallet's seqno, in its account. */
  readonly seqno?: (honest: number) => number;
  /** Unix seconds, in every account. */
  readonly time?: (honest: number) => number;
  /** Seqno of the newest masterchain block. */
  readonly head?: (honest: number) => number;
}

/** `chain`, as long as `lie` says nothing else. */
export function lying(chain: Chain, world: World, lie: () => Lie): Chain {
  return {
    ...chain,
    async masterchainSeqno(options) {
      const honest = await chain.masterchainSeqno(options);
      return lie().head?.(honest) ?? honest;
    },
    async account(address, options) {
      const honest = await chain.account(address, options);
      const { seqno, time } = lie();
      const told = time ? { ...honest, syncUtime: time(honest.syncUtime) } : honest;
      if (!seqno || !address.equals(world.wallet.address)) return told;
      return { ...told, data: world.walletData(seqno(world.seqno)) };
    },
  };
}

const MINUTE = 60;
const YEAR = 365 * 86_400;

/** What is lied about. */
export const lieKinds = ["lying seqno", "lying chain time", "lying head"] as const;

/** Some lie of a kind. */
export function drawLie(kind: (typeof lieKinds)[number], random: Random): Lie {
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
