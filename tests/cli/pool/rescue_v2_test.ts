/** `tonado pool rescue` for a version 2 pool, on a local network. */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { addressToField, settlerToField } from "../../../src/core/protocol/messages/address_field.ts";
import { storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import { type Deployment, formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { settlementInputs } from "../../../src/core/tree/settlement.ts";
import { loadPoolCode, v2JettonPoolInit, v2NativePoolInit } from "../../../src/ton/pool/state_init.ts";
import { fetchJettonWalletAddress } from "../../../src/ton/jetton/jetton.ts";
import { V2Pool } from "../../../src/ton/pool/v2/pool.ts";
import type { OutgoingMessage } from "../../../src/ton/wallet/wallet.ts";
import { useTrapdoorKeys } from "../../../testkit/localnet/use_trapdoor_keys.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { sharedProver } from "../../support/prover/shared_prover.ts";
import { type EmptyLocalnet, withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const YEAR = 31_557_600;
const DENOMINATION = toNano(2);

await useTrapdoorKeys();

/** Deposits a note, settles it and withdraws it. */
async function useOnce(
  { wallet, net }: EmptyLocalnet,
  pool: V2Pool,
  deposit: (commitment: bigint) => Promise<OutgoingMessage>,
): Promise<void> {
  const prover = await sharedProver();
  const [nullifier, secret] = [11n, 12n];
  const commitment = poseidon([nullifier, secret]);
  const send = async (message: OutgoingMessage) => {
    await wallet.send([message]);
    await net.closeBlock();
  };
  await send(await deposit(commitment));
  await waitUntil("the deposit", async () => (await net.closeBlock(), await pool.getNextIndex() === 1));
  const tree = new MerkleTree();
  const input = settlementInputs(tree, [commitment], settlerToField(wallet.address));
  const settlement = await prover.proveSettlement(input);
  const { newRoot } = input;
  await send(pool.buildSettleMessage({ newRoot, end: 1, proof: settlement.proof, value: toNano("0.2") }));
  tree.append(commitment);
  const recipient = new Address(0, Buffer.alloc(32, 0xc0));
  const nullifierHash = poseidon([nullifier, 0n]);
  const order = { root: newRoot, nullifierHash, fee: 0n, refund: 0n };
  const { proof } = await prover.proveWithdraw2({
    ...order,
    recipient: addressToField(recipient),
    relayer: addressToField(null),
    nullifier,
    secret,
    ...tree.path(0),
  });
  await send(pool.buildWithdrawMessage({
    ...order,
    recipient,
    relayer: null,
    rootNumber: 0,
    carried: null,
    proof,
    value: await pool.getWithdrawValue(0n),
  }));
  assert.deepEqual([await pool.getSettled(), (await pool.getPoolInfo()).withdrawals], [1, 1]);
}

/** Lets the pool freeze, thaws it with the command, and compares its state. */
async function assertThaws(
  { net, chain, wallet }: EmptyLocalnet,
  { address, key, registry, years }: {
    readonly address: Address;
    readonly key: string;
    readonly registry: string;
    readonly years: number;
  },
): Promise<void> {
  const { data } = await chain.account(address);
  await net.setNow(Math.floor(Date.now() / 1000) + years * YEAR);
  await wallet.send([{ to: address, value: 1n, bounce: false }]);
  await net.closeBlock();
  assert.equal((await chain.account(address)).state, "frozen");

  const [{ mnemonic, version }] = net.wallets;
  const env = { TONADO_WALLET_MNEMONIC: mnemonic, TONADO_WALLET_VERSION: version };
  const at = ["--network", "localnet", "--endpoint", net.url, "--registry", registry, "--json"];
  const rescue = ["pool", "rescue", key, ...at];
  const { code, stdout, stderr } = await runCli(rescue, env, { confirms: true });
  assert.equal(code, 0, stderr);
  assert.deepEqual([JSON.parse(stdout).action, JSON.parse(stdout).withState], ["thaw", true]);
  const thawed = await chain.account(address);
  assert.equal(thawed.state, "active");
  assert.equal(thawed.data!.hash().toString("hex"), data!.hash().toString("hex"));
  assert.equal((await new V2Pool(chain, address).getPoolInfo()).withdrawals, 1);
}

Deno.test("tonado pool rescue thaws a small frozen version 2 pool with its whole state, rebuilt from its logs", () =>
  withTempDirectory((dir) =>
    withEmptyLocalnet(async (tools) => {
      const { chain, deploy } = tools;
      const address = await deploy(
        v2NativePoolInit({ denomination: DENOMINATION, owner: null }),
        toNano("0.02"),
      );
      const pool = new V2Pool(chain, address);
      const { codeHash, vkeyHash } = loadPoolCode("native2");
      const entry: Deployment = {
        address,
        asset: "native",
        amount: "2",
        version: 2,
        denomination: DENOMINATION,
        deployedSeqno: 1,
        codeHash,
        vkeyHash,
        owner: null,
      };
      const registry = `${dir}/localnet.json`;
      const pools = new Map([["native-2-v2", entry]]);
      await Deno.writeTextFile(registry, formatDeployments({ network: "localnet", pools }));
      const deposit = (commitment: bigint) =>
        Promise.resolve(pool.buildCommentDepositMessage({ commitment, value: DENOMINATION }));
      await useOnce(tools, pool, deposit);
      await assertThaws(tools, { address, key: "native-2-v2", registry, years: 75 });
    })
  ));

Deno.test("tonado pool rescue thaws a small frozen jetton pool of version 2", () =>
  withTempDirectory((dir) =>
    withEmptyLocalnet(async (tools) => {
      const { net, chain, wallet, deploy } = tools;
      const { master, decimals } = net.jetton;
      const denomination = 2_000_000n;
      const options = { denomination, owner: null, jettonMaster: master };
      const address = await deploy(v2JettonPoolInit(options), toNano("0.02"));
      const pool = new V2Pool(chain, address);
      await wallet.send([{
        to: address,
        value: toNano("0.2"),
        bounce: true,
        body: storeDiscoverJettonWallet(),
      }]);
      await waitUntil("the pool knows its wallet", async () => {
        await net.closeBlock();
        return (await pool.getPoolInfo()).jettonWallet !== null;
      });
      const { jettonWallet } = await pool.getPoolInfo();
      const { codeHash, vkeyHash } = loadPoolCode("jetton2");
      const entry: Deployment = {
        address,
        asset: "jet",
        amount: "2",
        version: 2,
        denomination,
        decimals,
        deployedSeqno: 1,
        codeHash,
        vkeyHash,
        owner: null,
        jettonMaster: master,
        jettonWallet: jettonWallet!,
      };
      const registry = `${dir}/localnet.json`;
      const pools = new Map([["jet-2-v2", entry]]);
      await Deno.writeTextFile(registry, formatDeployments({ network: "localnet", pools }));
      await useOnce(tools, pool, async (commitment) =>
        pool.buildJettonDepositMessage({
          commitment,
          amount: denomination,
          owner: wallet.address,
          jettonWallet: await fetchJettonWalletAddress(chain, master, wallet.address),
          forwardAmount: await pool.getDepositValue(),
        }));
      await assertThaws(tools, { address, key: "jet-2-v2", registry, years: 75 });
    })
  ));
