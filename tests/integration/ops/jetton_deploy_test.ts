/** Deploys and audits jetton pools on a localnet: with its real jetton, and with dishonest masters. */
import assert from "node:assert/strict";
import { Address, beginCell, Cell, contractAddress, toNano } from "@ton/core";
import { Problem } from "../../../src/core/errors/problem.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { fetchJettonWalletAddress } from "../../../src/ton/jetton/jetton.ts";
import { storeJettonMetadata } from "../../../src/ton/jetton/jetton_metadata.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { formatDeployments, parseDeployments } from "../../../src/core/protocol/deployments.ts";
import { V2_FIXED_JETTON_SIZE, V2_STORAGE_SECONDS } from "../../../src/core/protocol/v2/pool_constants.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { jettonPoolAddress } from "../../../testkit/chain/pool_addresses.ts";
import { jettonPoolInit, loadPoolCode, v2JettonPoolInit } from "../../../src/ton/pool/state_init.ts";
import { onLocalnet } from "../../support/ops/deploy_jetton.ts";
import { withMethods } from "../../support/relayer/relayer_harness.ts";
import { auditPool } from "../../../src/ops/audit/audit.ts";
import { identifyJetton } from "../../../src/ops/deploy/jetton_identity.ts";

const nobody = Address.parse("0:" + "0a".repeat(32));
const otherWallet = Address.parse("0:" + "0c".repeat(32));

function refused(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem && error.code === "deployment_refused", String(error));
    assert.match(error.errors.map(({ detail }) => detail).join(), message);
    return true;
  };
}

Deno.test("deploying a pool of a real jetton", (t) =>
  onLocalnet(async ({ net, chain, wallet, deployPool: deploy }) => {
    const { master } = net.jetton;
    const { now } = await wallet.state();
    await net.setNow(now + 1000);
    const before = await chain.masterchainSeqno();
    const balance = await wallet.balance();
    const deployment = await deploy(master);

    await t.step("returns the registry entry, with the wallet on which master and pool agree", async () => {
      const address = jettonPoolAddress({ denomination: 2_500_000n, owner: null, jettonMaster: master });
      const given = await fetchJettonWalletAddress(chain, master, address);
      const { deployedSeqno, ...rest } = deployment;
      assert.deepEqual(JSON.parse(JSON.stringify(rest, plain)), {
        address: address.toString(),
        asset: "jet",
        amount: "2.5",
        denomination: "2500000",
        codeHash: loadPoolCode("jetton").codeHash,
        vkeyHash: loadPoolCode("jetton").vkeyHash,
        owner: null,
        jettonMaster: master.toString(),
        jettonWallet: given.toString(),
        decimals: 6,
      });
      assert.ok(deployedSeqno >= before);
      assert.ok((await new Pool(chain, address).getPoolInfo()).jettonWallet?.equals(given));
    });

    await t.step("leaves the pool its storage fees, and costs little more than that", async () => {
      const held = (await chain.account(deployment.address)).balance;
      // 40 years of 2,860 cells and 70,000 bits, and the remainder of the discovery.
      assert.ok(held > 7_430_000_000n && held <= 7_600_000_000n, String(held));
      const paid = balance - await wallet.balance();
      assert.ok(paid - held < 100_000_000n, `${paid - held} beside what the pool holds`);
    });

    await t.step("it passes its audit", async () => {
      const listed = new Map([["jet-2.5", deployment]]);
      const audit = await auditPool({
        chain,
        network: "localnet",
        address: deployment.address,
        registry: { network: "localnet", pools: listed },
      });
      const troubles = audit.checks.filter(({ verdict }) => verdict !== "ok").map(({ name }) => name);
      assert.deepEqual([audit.sound, troubles], [true, ["keys"]]);
      const named = audit.checks.map(({ name }) => name);
      assert.ok(named.includes("jetton") && named.includes("jettons"));
    });

    await t.step(
      "a second run with the registry finds it and sends nothing; without one it finds its first block",
      async () => {
        await net.setNow(now + 5000);
        for (let i = 0; i < 5; i++) await net.closeBlock();
        const seqno = await wallet.seqno();
        const known = { network: "localnet", pools: new Map([["jet-2.5", deployment]]) } as const;
        assert.equal((await deploy(master, { registry: known })).deployedSeqno, deployment.deployedSeqno);
        assert.equal(await wallet.seqno(), seqno);
        const found = await deploy(master);
        assert.ok(found.jettonWallet?.equals(deployment.jettonWallet!));
        assert.ok(found.deployedSeqno <= deployment.deployedSeqno, "not after the pool's beginning");
        assert.ok(deployment.deployedSeqno - found.deployedSeqno < 5, "and not long before it");
        await assert.rejects(
          deploy(master, { registry: known, asset: "jetx" }),
          refused(/already lists this pool as jet-2\.5/),
        );
      },
    );
  }));

Deno.test("deploying a version 2 pool of a real jetton: discovered, tried, endowed for 40 years, and audited", () =>
  onLocalnet(async ({ net, chain, deployPool: deploy }) => {
    const { master } = net.jetton;
    const trials: string[] = [];
    const deployment = await deploy(master, { version: 2, onTrial: (outcome) => void trials.push(outcome) });
    const init = v2JettonPoolInit({ denomination: 2_500_000n, owner: null, jettonMaster: master });
    assert.ok(deployment.address.equals(contractAddress(0, init)));
    assert.deepEqual([deployment.version, deployment.codeHash, deployment.vkeyHash], [
      2,
      loadPoolCode("jetton2").codeHash,
      loadPoolCode("jetton2").vkeyHash,
    ]);
    assert.ok(
      deployment.jettonWallet!.equals(await fetchJettonWalletAddress(chain, master, deployment.address)),
    );
    assert.deepEqual(trials, ["returned"]);
    const prices = await fetchNetworkPrices(chain);
    const endowment = prices.storageFee({ ...V2_FIXED_JETTON_SIZE, seconds: V2_STORAGE_SECONDS });
    const held = (await chain.account(deployment.address)).balance;
    assert.ok(held >= endowment && held < endowment + toNano("0.3"), `${held}, for ${endowment}`);
    const registry = { network: "localnet", pools: new Map([["jet-2.5-v2", deployment]]) } as const;
    const text = formatDeployments(registry);
    assert.equal(formatDeployments(parseDeployments(JSON.parse(text))), text);
    const audit = await auditPool({ chain, network: "localnet", address: deployment.address, registry });
    const troubles = audit.checks.filter(({ verdict }) => verdict !== "ok").map(({ name }) => name);
    assert.deepEqual([audit.sound, troubles], [true, ["keys"]]);
  }));

Deno.test("a run that was interrupted between pool and discovery is resumed", () =>
  onLocalnet(async ({ net, chain, deployPool: deploy, deploy: place }) => {
    const init = jettonPoolInit({ denomination: 2_500_000n, owner: null, jettonMaster: net.jetton.master });
    const to = await place(init, toNano(8));
    const before = await auditPool({ chain, network: "localnet", address: to });
    const verdict = (audit: typeof before) => audit.checks.find(({ name }) => name === "jetton")?.verdict;
    assert.equal(verdict(before), "warning");
    const orders: bigint[] = [];
    const confirm = ({ value }: { value: bigint }) => Promise.resolve(void orders.push(value));
    const { jettonWallet } = await deploy(net.jetton.master, { confirm });
    assert.deepEqual(orders, [200_000_000n], "two questions, and no second pool");
    assert.ok(jettonWallet);
    assert.equal(verdict(await auditPool({ chain, network: "localnet", address: to })), "ok");
  }));

Deno.test("an unsuitable jetton is refused before a pool is paid for", (t) =>
  onLocalnet(async ({ net, chain, wallet, deployPool: deploy, master }) => {
    const none = await master({ reportedWallet: null, honestAnswers: 0, symbol: "NONE" });
    const liar = await master({ reportedWallet: otherWallet, honestAnswers: 0, symbol: "LIAR" });
    const silent = wallet.address; // accepts every message and does not answer
    const deaf: Chain = {
      ...chain,
      runGetMethod: (address, ...rest) =>
        chain.runGetMethod(address.equals(silent) ? net.jetton.master : address, ...rest),
    };
    const start = await wallet.seqno();
    const cases: [what: string, run: () => Promise<unknown>, message: RegExp, transfers: number][] = [
      ["an account that is none", () => deploy(nobody), /is not a jetton master: get_jetton_data/, 0],
      ["a wallet", () => deploy(wallet.address), /is not a jetton master: get_jetton_data/, 0],
      [
        "other decimals than its own",
        () => deploy(net.jetton.master, { jetton: { master: net.jetton.master, decimals: 9 } }),
        /has 6 decimals according to its own metadata, not 9/,
        0,
      ],
      [
        "a master without TEP-89",
        () => deploy(none),
        /rejects provide_wallet_address: a pool needs a jetton with TEP-89/,
        1,
      ],
      [
        "a master that answers nothing",
        () => deploy(silent, { chain: deaf, timeoutMs: 50 }),
        /does not respond to provide_wallet_address/,
        1,
      ],
      [
        "a master whose answer names another wallet than its getter",
        () => deploy(liar),
        /responds to provide_wallet_address with another wallet than get_wallet_address/,
        1,
      ],
    ];
    let sent = start;
    for (const [what, run, message, transfers] of cases) {
      await t.step(what, async () => {
        await assert.rejects(run(), refused(message));
        assert.equal(await wallet.seqno(), sent += transfers);
      });
    }
    for (const jettonMaster of [none, liar]) {
      const address = jettonPoolAddress({ denomination: 2_500_000n, owner: null, jettonMaster });
      assert.equal((await chain.account(address)).state, "uninitialized");
    }
  }));

Deno.test("a master that gives only the pool a false wallet is detected by the deployer and by every audit", () =>
  onLocalnet(async ({ chain, deployPool: deploy, master }) => {
    const liar = await master({ reportedWallet: otherWallet, honestAnswers: 1 });
    await assert.rejects(deploy(liar), (error) => {
      assert.ok(error instanceof Problem && error.code === "chain_inconsistent", String(error));
      assert.match(error.message, /get_wallet_address says .*: never deposit there/);
      return true;
    });
    const address = jettonPoolAddress({ denomination: 2_500_000n, owner: null, jettonMaster: liar });
    const { sound, checks } = await auditPool({ chain, network: "localnet", address });
    assert.equal(sound, false);
    assert.deepEqual(
      checks.filter(({ verdict }) => verdict === "failed").map(({ name }) => name),
      ["jetton"],
    );
  }));

Deno.test("a jetton's name comes from its metadata on chain or from the deployer", async (t) => {
  const named = (content: Cell, claims: Parameters<typeof identifyJetton>[2]) => {
    const stack = { readBigNumber: () => 0n, readBoolean: () => true, readAddressOpt: () => null };
    const chain = {
      runGetMethod: () => Promise.resolve({ ...stack, readCell: () => content }),
    } as unknown as Chain;
    return identifyJetton(chain, nobody, claims);
  };
  const offChain = beginCell().storeUint(1, 8).storeStringTail("https://example.org").endCell();
  const full = storeJettonMetadata({ symbol: "JUSDT", decimals: "6" });
  type Case = [string, Cell, Parameters<typeof identifyJetton>[2], [string, number] | string[]];
  const cases: Case[] = [
    ["its own symbol in small letters, its own decimals", full, {}, ["jusdt", 6]],
    ["the deployer's word first", full, { symbol: "usd", decimals: 9 }, ["usd", 9]],
    ["nothing on chain", offChain, {}, ["--symbol", "--decimals"]],
    ["nothing on chain, all said", offChain, { symbol: "x1", decimals: 0 }, ["x1", 0]],
    ["a symbol that no note can carry", storeJettonMetadata({ symbol: "USD₮", decimals: "6" }), {}, [
      "--symbol",
    ]],
    ...["Native", "GRAM", "Ton", "TONCOIN"].map((symbol) =>
      [`the coin's name ${symbol}`, storeJettonMetadata({ symbol, decimals: "9" }), {}, ["--symbol"]] as Case
    ),
    ["the coin's name from the deployer", full, { symbol: "gram" }, ["--symbol"]],
  ];
  for (const [what, content, claims, expected] of cases) {
    await t.step(what, async () => {
      const outcome = await named(content, claims).then(
        ({ asset, jetton: { decimals } }) => [asset, decimals],
        (error: Problem) => error.errors.map(({ pointer }) => pointer),
      );
      assert.deepEqual(outcome, expected);
    });
  }
});

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" || value instanceof Address ? String(value) : value;
}

Deno.test("a network without the instructions and bounces that pools need gets no pool of any kind, and nothing is sent", () =>
  onLocalnet(async ({ net, chain, wallet, deployPool: deploy }) => {
    const old: Chain = withMethods(chain, {
      configParam: (index, options) =>
        index === 8
          ? Promise.resolve(beginCell().storeUint(0xc4, 8).storeUint(11, 32).storeUint(0, 64).endCell())
          : chain.configParam(index, options),
    });
    const before = await wallet.balance();
    const refused = (error: unknown) => {
      assert.ok(error instanceof Problem && error.code === "deployment_refused", String(error));
      assert.deepEqual(error.errors.map(({ detail }) => detail), [
        "the network runs version 11 of TVM; a pool needs 12",
      ]);
      return true;
    };
    await assert.rejects(deploy(net.jetton.master, { chain: old }), refused);
    const native = { asset: "native", amount: "5", jetton: undefined };
    await assert.rejects(deploy(net.jetton.master, { chain: old, ...native }), refused);
    assert.equal(await wallet.balance(), before);
    const { address } = await deploy(net.jetton.master, native);
    const audit = await auditPool({ chain: old, network: "localnet", address });
    assert.equal(audit.checks.find(({ name }) => name === "network")?.verdict, "failed");
  }));
