/** Deploys the pools of a {@link TrapdoorNetwork}: the real native and jetton contracts with the test keys. */
import { Cell, contractAddress, toNano } from "@ton/core";
import { type Deployment, poolKey, type PoolVersion } from "../../src/core/protocol/deployments.ts";
import { storeDiscoverJettonWallet } from "../../src/core/protocol/messages/pool_messages.ts";
import { parseUnits } from "../../src/core/protocol/units.ts";
import type { LocalJetton } from "../../src/localnet/localnet.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { Pool } from "../../src/ton/pool/pool.ts";
import { jettonPoolInit, nativePoolInit, v2NativePoolInit } from "../../src/ton/pool/state_init.ts";
import type { Wallet } from "../../src/ton/wallet/wallet.ts";
import { trapdoorJettonCode } from "../chain/jetton_sandbox.ts";
import { v2TrapdoorCode } from "../chain/v2/sandbox.ts";
import { trapdoorNativeCode } from "../chain/trapdoor_keys.ts";
import { waitUntil } from "../programs/wait_until.ts";
import { trapdoorVkeyHash, trapdoorVkeyHash2 } from "./trapdoor_artifacts.ts";

const TIMEOUT_MS = 300_000;
const NATIVE_DECIMALS = 9;
const DEPLOY_VALUE = toNano(3);
/** Version 2 pools prepay the storage of the whole spent set. */
const DEPLOY_VALUE_2 = toNano(10);
const DISCOVER_VALUE = toNano("0.2");

/** Deploys the pools of these registry keys and waits until they, and the jetton wallets, exist. */
export async function deployTrapdoorPools(
  { chain, wallet, jetton, keys }: {
    chain: Chain;
    wallet: Wallet;
    jetton: LocalJetton;
    keys: readonly string[];
  },
): Promise<Map<string, Deployment>> {
  const pools = await Promise.all(keys.map((key) => planned(key, jetton)));
  await wallet.send([
    ...pools.map(({ address, init, version }) => ({
      to: address,
      value: version === 2 ? DEPLOY_VALUE_2 : DEPLOY_VALUE,
      bounce: false,
      init,
      body: Cell.EMPTY,
    })),
    ...pools.filter(({ isJetton }) => isJetton).map(({ address }) => ({
      to: address,
      value: DISCOVER_VALUE,
      bounce: true,
      body: storeDiscoverJettonWallet(),
    })),
  ]);
  const wallets = new Map<string, Deployment["jettonWallet"]>();
  for (const { asset, amount, address, isJetton } of pools) {
    await waitUntil("a pool stands", async () => {
      if ((await chain.account(address)).state !== "active") return false;
      const { jettonWallet } = await new Pool(chain, address).getPoolInfo();
      if (jettonWallet) wallets.set(poolKey({ asset, amount }), jettonWallet);
      return !isJetton || jettonWallet !== null;
    }, TIMEOUT_MS);
  }
  const deployedSeqno = await chain.masterchainSeqno();
  return new Map(pools.map(({ asset, amount, address, denomination, init, isJetton, version }) => {
    const key = poolKey({ asset, amount, version });
    return [key, {
      address,
      asset,
      amount,
      denomination,
      deployedSeqno,
      codeHash: init.code.hash().toString("hex"),
      vkeyHash: version === 2 ? trapdoorVkeyHash2 : trapdoorVkeyHash,
      ...version === 2 && { version },
      owner: null,
      ...isJetton && {
        jettonMaster: jetton.master,
        jettonWallet: wallets.get(key),
        decimals: jetton.decimals,
      },
    }];
  }));
}

async function planned(key: string, jetton: LocalJetton) {
  const [asset, amount, suffix] = key.split("-");
  const version: PoolVersion = suffix === "v2" ? 2 : 1;
  const isJetton = asset === jetton.asset;
  const denomination = parseUnits(amount, isJetton ? jetton.decimals : NATIVE_DECIMALS);
  const options = { denomination, owner: null };
  const { data } = isJetton
    ? jettonPoolInit({ ...options, jettonMaster: jetton.master })
    : (version === 2 ? v2NativePoolInit : nativePoolInit)(options);
  const nativeCode = version === 2 ? v2TrapdoorCode : trapdoorNativeCode;
  const init = { code: await (isJetton ? trapdoorJettonCode() : nativeCode()), data };
  return { asset, amount, isJetton, denomination, version, init, address: contractAddress(0, init) };
}
