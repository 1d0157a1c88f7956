import assert from "node:assert/strict";
import { Address, beginCell, type Cell, toNano } from "@ton/core";
import { depositNative } from "../../../src/client/deposit/deposit_native.ts";
import { commitmentsFromChain } from "../../../src/client/tree_sync.ts";
import { buildWithdrawArgs } from "../../../src/client/withdrawal/build_withdraw_args.ts";
import type { Deployment, Deployments } from "../../../src/core/protocol/deployments.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import { createNote } from "../../../src/core/protocol/note.ts";
import { zeros } from "../../../src/core/tree/zeros.ts";
import { type ArtifactPins, openArtifacts } from "../../../src/prover/artifacts.ts";
import { createProver } from "../../../src/prover/prover.ts";
import pins from "../../../artifacts/pins.json" with { type: "json" };
import type { Chain } from "../../../src/ton/chain.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { jettonPoolInit, nativePoolInit } from "../../../src/ton/pool/state_init.ts";
import { type EmptyLocalnet, withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";
import { deployPool } from "../../../src/ops/deploy/deploy.ts";
import { auditPool } from "../../../src/ops/audit/audit.ts";

const owner = Address.parse("0:" + "0a".repeat(32));
const YEAR = 31_557_600;
/** The committed keys, labelled as if many people had made them. */
const ceremony = openArtifacts(undefined, { ...pins, label: "keys of a ceremony" } as ArtifactPins);

interface Tools extends EmptyLocalnet {
  /**
   * Returns `check verdict` for everything that is not ok, by mainnet's rules and with keys of a ceremony.
   */
  troubles(address: Address, options?: { registry?: Deployments; chain?: Chain }): Promise<string[]>;
}

const onLocalnet = (test: (tools: Tools) => Promise<void>) =>
  withEmptyLocalnet((tools) =>
    test({
      ...tools,
      async troubles(address, options) {
        const audit = await auditPool({
          chain: tools.chain,
          network: "mainnet",
          address,
          artifacts: ceremony,
          ...options,
        });
        const found = audit.checks.filter(({ verdict }) => verdict !== "ok");
        assert.equal(audit.sound, found.every(({ verdict }) => verdict === "warning"));
        return found.map(({ name, verdict }) => `${name} ${verdict}`);
      },
    })
  );

const listing = (deployment: Deployment): Deployments => ({
  network: "mainnet",
  pools: new Map([[`native-${deployment.amount}`, deployment]]),
});

Deno.test("a pool in use passes its audit, and its facts are the chain's", () =>
  onLocalnet(async ({ net, chain, wallet, troubles }) => {
    const deployment = await deployPool({
      chain,
      wallet,
      network: "localnet",
      asset: "native",
      amount: "2",
      owner: null,
      pollIntervalMs: 1,
    });
    const pool = new Pool(chain, deployment.address);
    const known = listing(deployment);
    assert.deepEqual(await troubles(pool.address, { registry: known }), [], "while it is empty");

    const prover = await createProver({ maxWorkers: 1 });
    try {
      const request = { chain, pool, network: "localnet", wallet, prover, pollIntervalMs: 5 } as const;
      const notes = [1, 2].map(() => createNote({ asset: "native", amount: "2", network: "localnet" }));
      for (const note of notes) await depositNative({ ...request, note });
      const recipient = Address.parse("0:" + "c0".repeat(32));
      const source = commitmentsFromChain(chain, pool.address);
      const args = await buildWithdrawArgs({
        ...request,
        note: notes[0],
        source,
        recipient,
        relayer: null,
        fee: 0n,
      });
      await pool.sendWithdraw(wallet.sender(), {
        ...args,
        root: BigInt(args.publicSignals[0]),
        nullifierHash: notes[0].nullifierHash,
        relayer: null,
      });
      await net.closeBlock();
    } finally {
      prover.close();
    }

    assert.deepEqual(await troubles(pool.address, { registry: known }), [], "when it was used");
    const seen: number[] = [];
    const onProgress = (transactions: number) => void seen.push(transactions);
    const { facts, funds: money, sound } = await auditPool({
      chain,
      network: "localnet",
      address: pool.address,
      registry: known,
      onProgress,
    });
    assert.ok(sound && facts && money);
    assert.deepEqual(seen, [4], "deployment, two deposits, a withdrawal");
    assert.deepEqual([facts.info.deposits, facts.info.withdrawals, facts.rebuilt.leaves], [2, 1, 2]);
    assert.deepEqual(facts.roots, facts.rebuilt.rootHistory);
    assert.equal(money.unspentNotes, toNano(2));
    assert.equal(facts.balance, (await chain.account(pool.address)).balance);
    assert.ok(money.runwayYears > money.reserveYears && money.reserveYears > 100);
  }));

Deno.test("a successor passes its audit, empty and used, and is recognised by its generation", () =>
  onLocalnet(async ({ chain, wallet, troubles }) => {
    const order = { chain, wallet, network: "localnet", asset: "native", amount: "2", owner: null } as const;
    const first = await deployPool({ ...order, pollIntervalMs: 1 });
    const successor = await deployPool({ ...order, pollIntervalMs: 1, generation: 3 });
    const known: Deployments = {
      network: "mainnet",
      pools: new Map([["native-2", first], ["native-2-g3", successor]]),
    };
    const generationOf = async (address: Address) =>
      (await auditPool({ chain, network: "localnet", address })).facts?.generation;
    for (const { address } of [first, successor]) {
      assert.deepEqual(await troubles(address, { registry: known }), []);
    }
    assert.deepEqual([await generationOf(first.address), await generationOf(successor.address)], [0, 3]);
    const wrong = listing({ ...successor, generation: undefined });
    assert.deepEqual(await troubles(successor.address, { registry: wrong }), ["registry failed"]);

    const prover = await createProver({ maxWorkers: 1 });
    try {
      const note = createNote({ asset: "native", amount: "2", network: "localnet" });
      const pool = new Pool(chain, successor.address);
      await depositNative({ chain, pool, network: "localnet", wallet, note, prover, pollIntervalMs: 5 });
    } finally {
      prover.close();
    }
    assert.deepEqual(await troubles(successor.address, { registry: known }), [], "when it was used");
    assert.equal(await generationOf(successor.address), 3);
  }));

Deno.test("the audit detects a tampered pool", (t) =>
  onLocalnet(async ({ net, chain, wallet, deploy: place, troubles }) => {
    const options = { denomination: toNano(3), owner: null };
    const init = nativePoolInit(options);
    const unlisted = "registry warning";

    await t.step("one with other code, whatever its getters say", async () => {
      // A NOP before the first instruction changes the code but not its behaviour.
      const code = beginCell().storeUint(0x00, 8).storeSlice(init.code.asSlice()).endCell();
      const address = await place({ ...init, code }, toNano(3));
      assert.equal(await new Pool(chain, address).getDenomination(), options.denomination);
      assert.deepEqual(await troubles(address), ["code failed", "origin failed", "keys failed", unlisted]);
    });

    await t.step("one that has another owner than the registry says", async () => {
      const deployment = await deployPool({
        chain,
        wallet,
        network: "localnet",
        asset: "native",
        amount: "3",
        owner,
        pollIntervalMs: 1,
      });
      assert.deepEqual(
        await troubles(deployment.address, { registry: listing({ ...deployment, owner: null }) }),
        [
          "owner failed",
          "registry failed",
        ],
      );
    });

    await t.step("one that started with a root of its deployer's choice", async () => {
      const address = await place({ code: init.code, data: withRoot(init.data, 12345n) }, toNano(3));
      assert.equal(await new Pool(chain, address).getCurrentRoot(), 12345n);
      assert.deepEqual(await troubles(address), ["origin failed", unlisted, "tree failed"]);
    });

    await t.step("one that has a root in the place of a successor's generation", async () => {
      const slice = init.data.beginParse();
      const refs = [slice.loadRef(), slice.loadRef(), slice.loadRef()];
      const root = beginCell().storeUint(12345n, 255).storeRef(beginCell().endCell()).endCell();
      const data = beginCell().storeBits(init.data.bits);
      for (const ref of [...refs, root]) data.storeRef(ref);
      const address = await place({ code: init.code, data: data.endCell() }, toNano(3));
      assert.deepEqual(await troubles(address), ["origin failed", unlisted]);
    });

    await t.step("one that lost its money", async () => {
      const poor = nativePoolInit({ ...options, denomination: toNano(4) });
      const address = await place(poor, toNano("0.02"));
      const prover = await createProver({ maxWorkers: 1 });
      try {
        const note = createNote({ asset: "native", amount: "4", network: "localnet" });
        const pool = new Pool(chain, address);
        await depositNative({ chain, pool, network: "localnet", wallet, note, prover, pollIntervalMs: 5 });
      } finally {
        prover.close();
      }
      assert.deepEqual(await troubles(address), [unlisted]);
      const empty = await place(nativePoolInit({ ...options, denomination: toNano(5) }), toNano("0.02"));
      await net.setNow(Math.floor(Date.now() / 1000) + 20 * YEAR);
      await net.closeBlock();
      assert.deepEqual(await troubles(address), [unlisted, "balance failed", "runway warning"]);
      assert.deepEqual(await troubles(empty), [unlisted, "runway failed"]);
    });
  }));

Deno.test("a jetton pool is compared with its own code and first state", () =>
  onLocalnet(async ({ deploy: place, troubles }) => {
    const init = jettonPoolInit({ denomination: 1_000_000n, owner: null, jettonMaster: owner });
    // This jetton does not exist.
    const expected = ["registry warning", "jetton failed"];
    assert.deepEqual(await troubles(await place(init, toNano(3))), expected);
    const { code } = nativePoolInit({ denomination: 1_000_000n, owner: null });
    assert.ok((await troubles(await place({ ...init, code }, toNano(3)))).includes("origin failed"));
  }));

Deno.test("a contract that is not a pool is reported", (t) =>
  onLocalnet(async ({ chain, wallet }) => {
    const audit = (address: Address) => auditPool({ chain, network: "localnet", address });
    await t.step("an address without an account", async () => {
      const { sound, checks, facts } = await audit(owner);
      assert.deepEqual([sound, facts], [false, undefined]);
      assert.deepEqual(checks.map(({ name, verdict }) => [name, verdict]), [["account", "failed"]]);
      assert.match(checks[0].detail, /is uninitialized/);
    });
    await t.step("a wallet", async () => {
      await wallet.send([{ to: wallet.address, value: 1n, bounce: false }]);
      const { sound, checks } = await audit(wallet.address);
      assert.equal(sound, false);
      assert.match(checks[0].detail, /does not respond like a pool: get_pool_info .* exit code 11/);
    });
  }));

Deno.test("a pool that changes while it is read is read again, a limited number of times", () =>
  onLocalnet(async ({ chain, deploy: place, troubles }) => {
    const address = await place(nativePoolInit({ denomination: toNano(3), owner: null }), toNano(3));
    let calls = 0;
    const restless = (settlesAfter: number): Chain => ({
      ...chain,
      async account(of, options) {
        const account = await chain.account(of, options);
        const { last } = account;
        return last && ++calls <= settlesAfter
          ? { ...account, last: { ...last, lt: BigInt(calls) } }
          : account;
      },
    });
    assert.deepEqual(await troubles(address, { chain: restless(3) }), ["registry warning"]);
    calls = 0;
    await assert.rejects(troubles(address, { chain: restless(Infinity) }), (error) => {
      return error instanceof Problem && error.code === "chain_inconsistent";
    });
  }));

/** Returns the data of a new pool with `root` instead of the empty tree's root. */
function withRoot(data: Cell, root: bigint): Cell {
  const slice = data.beginParse();
  const changed = beginCell()
    .storeCoins(slice.loadCoins())
    .storeUint(slice.loadUintBig(64), 64)
    .storeCoins(slice.loadCoins())
    .storeUint(slice.loadUint(32), 32)
    .storeRef(slice.loadRef());
  assert.equal(slice.loadUintBig(255), zeros[20]);
  return changed.storeUint(root, 255).storeSlice(slice).endCell();
}
