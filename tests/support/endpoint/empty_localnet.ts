/** Starts a local network without pools, for tests that deploy their own. */
import { type Address, type Cell, contractAddress, type StateInit } from "@ton/core";
import { type Localnet, startLocalnet } from "../../../src/localnet/localnet.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet, type Wallet } from "../../../src/ton/wallet/wallet.ts";
import { startTestLocalnet } from "../../../testkit/localnet/test_localnet.ts";

export interface EmptyLocalnet {
  readonly net: Localnet;
  readonly chain: Chain;
  /** A wallet with coins. */
  readonly wallet: Wallet;
  /** Deploys a contract and returns its address. */
  deploy(init: StateInit, value: bigint): Promise<Address>;
}

/** Runs `test` on a new network and closes it. `config`: default: mainnet's. */
export async function withEmptyLocalnet(
  test: (tools: EmptyLocalnet) => Promise<void>,
  config?: Cell,
): Promise<void> {
  const options = { blockTimeMs: 0, pools: [] };
  const net = config ? await startLocalnet({ ...options, config }) : await startTestLocalnet(options);
  const chain = connect({ network: "localnet", endpoint: net.url });
  const { mnemonic, version } = net.wallets[0];
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  try {
    await test({
      net,
      chain,
      wallet,
      async deploy(init, value) {
        const to = contractAddress(0, init);
        await wallet.send([{ to, init, value, bounce: false }]);
        await net.closeBlock();
        return to;
      },
    });
  } finally {
    await net.close();
  }
}
