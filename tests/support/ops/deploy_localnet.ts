/** A localnet for deployments, with a wallet that has coins. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import { BASE_FIELD_MODULUS } from "../../../src/core/crypto/proof_codec.ts";
import { type Localnet, startLocalnet } from "../../../src/localnet/localnet.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import type { Artifacts } from "../../../src/prover/artifacts.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet, type Wallet } from "../../../src/ton/wallet/wallet.ts";

export const owner = Address.parse("0:" + "0a".repeat(32));

export const native = { asset: "native", owner: null } as const;

/** A localnet without pools. */
export interface DeployTools {
  readonly net: Localnet;
  readonly chain: Chain;
  /** A wallet with coins. */
  readonly wallet: Wallet;
}

export async function onLocalnet(
  test: (tools: DeployTools) => Promise<void>,
  options: Parameters<typeof startLocalnet>[0] = {},
) {
  const net = await startLocalnet({ blockTimeMs: 0, pools: [], ...options });
  const chain = connect({ network: "localnet", endpoint: net.url });
  const { mnemonic, version } = net.wallets[0];
  try {
    await test({ net, chain, wallet: await openWallet(mnemonic, { version, network: "localnet", chain }) });
  } finally {
    await net.close();
  }
}

export function problem(code: ProblemCode, message = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem && error.code === code, String(error));
    assert.match(error.message, message);
    return true;
  };
}

/** Returns keys with one point negated, in an artifact store that does not detect it. */
export function negatedKeys(real: Artifacts): Artifacts {
  return {
    ...real,
    async load(name) {
      const key = JSON.parse(new TextDecoder().decode(await real.load(name)));
      key.IC[1][1] = String(BASE_FIELD_MODULUS - BigInt(key.IC[1][1]));
      return new TextEncoder().encode(JSON.stringify(key)) as Uint8Array<ArrayBuffer>;
    },
  };
}
