/** `tonado pool rescue` as a user runs it, on a local network. */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { depositNative } from "../../../src/client/deposit/deposit_native.ts";
import { commitmentsFromChain } from "../../../src/client/tree_sync.ts";
import { buildWithdrawArgs } from "../../../src/client/withdrawal/build_withdraw_args.ts";
import { type Deployment, formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { createNote } from "../../../src/core/protocol/note.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { loadPoolCode, nativePoolInit } from "../../../src/ton/pool/state_init.ts";
import { useTrapdoorKeys } from "../../../testkit/localnet/use_trapdoor_keys.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { FaultySends, type SendFault, sendFaults } from "../../support/endpoint/faulty_sends.ts";
import { sharedProver } from "../../support/prover/shared_prover.ts";
import { type EmptyLocalnet, withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const YEAR = 31_557_600;

await useTrapdoorKeys();

/** Deposits a note and withdraws it. */
async function useOnce({ chain, wallet, net }: EmptyLocalnet, address: Address): Promise<void> {
  const pool = new Pool(chain, address);
  const prover = await sharedProver();
  const note = createNote({ asset: "native", amount: "2", network: "localnet" });
  const request = { chain, pool, network: "localnet", prover, pollIntervalMs: 5 } as const;
  await depositNative({ ...request, wallet, note });
  const recipient = new Address(0, Buffer.alloc(32, 0xc0));
  const source = commitmentsFromChain(chain, address);
  const args = await buildWithdrawArgs({ ...request, note, source, recipient, relayer: null, fee: 0n });
  await pool.sendWithdraw(wallet.sender(), {
    ...args,
    root: BigInt(args.publicSignals[0]),
    nullifierHash: note.nullifierHash,
    relayer: null,
  });
  await net.closeBlock();
  assert.ok(await pool.getIsSpent(note.nullifierHash));
}

async function topsUpIdlePool(
  { net }: EmptyLocalnet,
  rescue: () => ReturnType<typeof runCli>,
): Promise<void> {
  await net.setNow(Math.floor(Date.now() / 1000) + 25 * YEAR);
  await net.closeBlock();
  const { code, stdout, stderr } = await rescue();
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).action, "top-up");
  const after = JSON.parse((await rescue()).stdout);
  assert.equal(after.action, "none");
  assert.ok(after.paidYears >= 10, `${after.paidYears}`);
}

async function thawsFrozenPool(
  tools: EmptyLocalnet,
  address: Address,
  rescue: (flags: string[], paid?: boolean) => ReturnType<typeof runCli>,
): Promise<void> {
  const { chain, net, wallet } = tools;
  await useOnce(tools, address);
  const { data } = await chain.account(address);
  await net.setNow(Math.floor(Date.now() / 1000) + 75 * YEAR);
  await net.closeBlock();
  const tooLittle = await rescue(["--amount", "0.1"]);
  assert.deepEqual([tooLittle.code, tooLittle.stdout], [1, ""]);
  assert.match(tooLittle.stderr, /the pool owes storage.*send at least 0\.\d+/s);
  const unpaid = await rescue([], false);
  assert.equal(unpaid.code, 0, unpaid.stderr);
  assert.ok(BigInt(JSON.parse(unpaid.stdout).debt) > toNano("0.1"), unpaid.stdout);
  await wallet.send([{ to: address, value: 1n, bounce: false }]);
  await net.closeBlock();
  assert.equal((await chain.account(address)).state, "frozen");
  const refused = await rescue([], false);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /no link can carry the state of a frozen pool/);
  const { code, stdout, stderr, prompts } = await rescue([]);
  assert.equal(code, 0, stderr);
  assert.match(prompts[0], /with its whole state to thaw it\?$/);
  assert.deepEqual([JSON.parse(stdout).action, JSON.parse(stdout).withState], ["thaw", true]);
  const thawed = await chain.account(address);
  assert.equal(thawed.state, "active");
  assert.equal(thawed.data!.hash().toString("hex"), data!.hash().toString("hex"));
  assert.equal((await new Pool(chain, address).getPoolInfo()).withdrawals, 1);
}

Deno.test("tonado pool rescue pays for storage before a pool freezes, and thaws a small frozen one", (t) =>
  withTempDirectory((dir) =>
    withEmptyLocalnet(async (tools) => {
      const { net, chain, wallet, deploy } = tools;
      const denomination = toNano(2);
      const address = await deploy(nativePoolInit({ denomination, owner: null }), toNano("0.02"));
      const { codeHash, vkeyHash } = loadPoolCode();
      const entry: Deployment = {
        address,
        asset: "native",
        amount: "2",
        denomination,
        deployedSeqno: 1,
        codeHash,
        vkeyHash,
        owner: null,
      };
      const registry = `${dir}/localnet.json`;
      await Deno.writeTextFile(
        registry,
        formatDeployments({ network: "localnet", pools: new Map([["native-2", entry]]) }),
      );
      const [{ mnemonic, version }] = net.wallets;
      const env = { TONADO_WALLET_MNEMONIC: mnemonic, TONADO_WALLET_VERSION: version };
      let fault: SendFault = "answered by the second of two nodes";
      const sends = new FaultySends(() => fault);
      await using endpoint = sends.serve(net.url);
      const at = ["--network", "localnet", "--endpoint", endpoint.url, "--registry", registry, "--json"];
      const rescue = (flags: string[], paid = true) =>
        runCli(["pool", "rescue", "native-2", ...at, ...flags], paid ? env : {}, { confirms: true });
      const shown = address.toString({ bounceable: false, testOnly: true });

      await t.step("without a wallet, it shows a link to the address that does not bounce", async () => {
        const { code, stdout, stderr } = await rescue([], false);
        assert.equal(code, 0, stderr);
        const { action, link, value, sent } = JSON.parse(stdout);
        assert.deepEqual([action, sent, link], ["top-up", false, `ton://transfer/${shown}?amount=${value}`]);
        assert.ok(BigInt(value) > toNano("0.1") && BigInt(value) < toNano("0.2"), value);
      });
      await t.step("a transfer that the wallet does not accept is not reported as sent", async () => {
        fault = async () => {
          await net.setNow((await wallet.state()).now + 76);
          return await sendFaults["accepted and dropped"]();
        };
        const { code, stdout, stderr } = await rescue([]);
        fault = "answered by the second of two nodes";
        assert.deepEqual([code, stdout], [3, ""]);
        assert.match(stderr, /did not accept the transfer before it expired/);
      });
      await t.step("a wallet sends it, and then nothing is missing", async () => {
        const before = (await chain.account(address)).balance;
        const { code, stdout, stderr, prompts } = await rescue([]);
        assert.equal(code, 0, stderr);
        assert.match(prompts[0], /^Send 0\.1\d* .* for its storage\?$/);
        const { sent, value, balance } = JSON.parse(stdout);
        assert.ok(sent && BigInt(balance) > before + BigInt(value) - toNano("0.001"));
        const again = JSON.parse((await rescue([])).stdout);
        assert.deepEqual([again.action, again.value], ["none", undefined]);
        assert.ok(again.paidYears >= 10, `${again.paidYears}`);
        assert.equal(sends.refusals.length, 1, "the endpoint reports the wallet's refusal of a copy");
      });
      await t.step(
        "an idle pool's top-up includes the storage that is due and not yet collected",
        () => topsUpIdlePool(tools, () => rescue([])),
      );
      await t.step(
        "a frozen pool gets its whole state, rebuilt from its logs",
        () => thawsFrozenPool(tools, address, rescue),
      );
    })
  ));
