/** Deploys jetton pools and jetton masters, honest and dishonest, on an empty local network. */
import { Address, beginCell, Cell, toNano } from "@ton/core";
import { deployPool } from "../../../src/ops/deploy/deploy.ts";
import { storeJettonMetadata } from "../../../src/ton/jetton/jetton_metadata.ts";
import { compileTolk } from "../../../testkit/toolchain/tolk.ts";
import { type EmptyLocalnet, withEmptyLocalnet } from "../endpoint/empty_localnet.ts";

const someWallet = Address.parse("0:" + "0b".repeat(32));

export interface JettonTools extends EmptyLocalnet {
  /** Deploys the test's own master. */
  master(of: { reportedWallet: Address | null; honestAnswers: number; symbol?: string }): Promise<Address>;
  deployPool(
    master: Address,
    options?: Partial<Parameters<typeof deployPool>[0]>,
  ): ReturnType<typeof deployPool>;
}

let oddMaster: Promise<Cell> | undefined;

/** Runs a test on an empty local network with masters of its own. */
export const onLocalnet = (test: (tools: JettonTools) => Promise<void>) =>
  withEmptyLocalnet((tools) =>
    test({
      ...tools,
      async master({ reportedWallet, honestAnswers, symbol = "ODD" }) {
        oddMaster ??= compileTolk("testkit/chain/lying_jetton_master.tolk").then((boc) =>
          Cell.fromBase64(boc)
        );
        const data = beginCell().storeAddress(someWallet).storeAddress(reportedWallet).storeUint(
          honestAnswers,
          8,
        )
          .storeRef(storeJettonMetadata({ symbol })).endCell();
        return await tools.deploy({ code: await oddMaster, data }, toNano(1));
      },
      deployPool(master, options) {
        const { chain, wallet } = tools;
        return deployPool({
          chain,
          wallet,
          network: "localnet",
          asset: "jet",
          amount: "2.5",
          owner: null,
          pollIntervalMs: 1,
          jetton: { master, decimals: 6 },
          ...options,
        });
      },
    })
  );
