/** This catches mistakes, not a dishonest endpoint, which can report any zero state. */
import { abortable } from "../../core/time/deadline.ts";
import { memoizeAsync } from "../../core/time/single_flight.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { CallOptions, Chain } from "../chain.ts";
import { interceptChain } from "./intercepted_chain.ts";

interface ZeroState {
  readonly rootHash: string;
  readonly fileHash: string;
}

/** In base64, as the sources publish them. */
const zeroStates: Readonly<Record<Network, ZeroState>> = {
  // `validator.zero_state` of https://ton.org/global.config.json
  mainnet: {
    rootHash: "F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk=",
    fileHash: "XplPz01CXAps5qeSWUtxcyBfdAo5zVb1N979KLSKD24=",
  },
  // `validator.zero_state` of https://ton.org/testnet-global.config.json
  testnet: {
    rootHash: "gj+B8wb/AmlPk1z1AhVI484rhrUpgSr2oSFIh56VoSg=",
    fileHash: "Z+IKwYS54DmmJmesw/nAD5DzWadnOCMzee+kdgSYDOg=",
  },
  // Block 0 of `tonado localnet`: SHA-256 of "localnet root -1 0" and of "localnet file -1 0".
  localnet: {
    rootHash: "HLWng1BVU2TWSRmIeFHUNQSpLvUjBkAribMiMJuCyXU=",
    fileHash: "k/UBRC/Cq29DG5lFwr09spWg/mukbbTuTxnfPczOpNc=",
  },
};

/** Throws `wrong_network`. Passes without a zero state, which some proxies drop. */
async function assertEndpointNetwork(
  chain: Chain,
  network: Network,
  options?: CallOptions,
): Promise<void> {
  const zeroState = await chain.zeroState?.(options);
  if (!zeroState) return;
  const served = networkOf(zeroState);
  if (served === network || (network === "localnet" && served === undefined)) return;
  throw new Problem("wrong_network", `the endpoint serves ${served ?? "a private network"}, not ${network}`);
}

const START_TIMEOUT_MS = 3_000;

/** If the endpoint does not respond in time, {@linkcode withNetworkCheck} checks it before its first use. */
export async function assertNetworkAtStart(chain: Chain, network: Network): Promise<void> {
  try {
    await assertEndpointNetwork(chain, network, { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  } catch (error) {
    if (error instanceof Problem && error.code === "wrong_network") throw error;
  }
}

function networkOf({ rootHash, fileHash }: ZeroState): Network | undefined {
  const hex = (base64: string) => Buffer.from(base64, "base64").toString("hex");
  return (Object.keys(zeroStates) as Network[]).find((network) => {
    const known = zeroStates[network];
    return hex(known.rootHash) === rootHash && hex(known.fileHash) === fileHash;
  });
}

export function withNetworkCheck(chain: Chain, network: Network): Chain {
  const check = memoizeAsync(() => assertEndpointNetwork(chain, network));
  return interceptChain(chain, async (_name, call, options) => {
    await abortable(check(), options?.signal);
    return await call();
  });
}
