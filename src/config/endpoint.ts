import type { Network } from "../core/protocol/network.ts";
import type { Secret } from "../core/text/secret.ts";

export interface Endpoint {
  readonly url: string;
  readonly apiKey?: Secret<string>;
  readonly requestsPerSecond?: number; // 0: no limit
}

export const publicEndpoints: Partial<Record<Network, string>> = {
  mainnet: "https://toncenter.com/api/v2/jsonRPC",
  testnet: "https://testnet.toncenter.com/api/v2/jsonRPC",
};
