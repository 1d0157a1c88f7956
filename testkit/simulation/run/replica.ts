/** A relayer's process, and the registry that it serves. */
import type { Deployments } from "../../../src/core/protocol/deployments.ts";
import { type Relayer } from "../../../src/relay/relayer.ts";
import { SimulatedPool } from "../accounts.ts";
import { poolCode } from "../endpoint.ts";
import { SimulatedProcess } from "../simulated_process.ts";
import { type OpenedWallet } from "../wallets.ts";

/** A process: its parts, and the relayer while it runs. */
export interface Replica extends OpenedWallet {
  life: SimulatedProcess;
  relayer: Relayer | undefined;
}

export const VKEY_HASH = "11".repeat(32);

/** Returns the registry of the simulated pools. */
export function toDeployments(pools: readonly SimulatedPool[]): Deployments {
  return {
    network: "testnet",
    pools: new Map(pools.map((pool, i) => [`native-${10 + i}`, {
      address: pool.address,
      asset: "native",
      amount: String(10),
      denomination: pool.denomination,
      deployedSeqno: 1,
      codeHash: poolCode.hash().toString("hex"),
      vkeyHash: VKEY_HASH,
      owner: null,
    }])),
  };
}
