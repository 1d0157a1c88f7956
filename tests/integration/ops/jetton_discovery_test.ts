import { rejects } from "node:assert/strict";
import { Address, beginCell, Cell } from "@ton/core";
import { ScriptedChain, slice } from "../../../testkit/simulation/scripted_chain.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { MAX_BLOCK_TIME_SKEW_SECONDS } from "../../../src/ton/wallet/transfer_inclusion.ts";
import type { Wallet } from "../../../src/ton/wallet/wallet.ts";
import { probeJettonMasters } from "../../../src/ops/deploy/jetton_discovery.ts";

const addressOf = (byte: string) => Address.parse(`0:${byte.repeat(32)}`);
const [deployer, master, jettonWallet] = ["11", "22", "33"].map(addressOf);
const pools = ["44", "55"].map((byte) => ({ address: addressOf(byte), jetton: { master, decimals: 6 } }));

const request = (queryId: number) =>
  beginCell().storeUint(opCodes.provide_wallet_address, 32).storeUint(queryId, 64);
const bounceOf = (body: ReturnType<typeof request>) =>
  beginCell().storeUint(0xffffffff, 32).storeBuilder(body).endCell();
const answer = (queryId: number) =>
  beginCell().storeUint(opCodes.take_wallet_address, 32).storeUint(queryId, 64).storeAddress(jettonWallet)
    .storeBit(false).endCell();

/** Probes the master of two pools, which sends these messages to the deployer. */
async function probe(
  messages: readonly { readonly body: Cell; readonly bounced?: boolean }[],
): Promise<void> {
  const scripted = new ScriptedChain({ get_wallet_address: () => [slice(jettonWallet)] });
  const wallet = scripted.wallet(deployer, () => {
    for (const message of messages) scripted.add(deployer, { from: master, ...message });
  });
  await probeJettonMasters(pools, wallet, { chain: scripted.chain, pollIntervalMs: 1, timeoutMs: 5 });
}

Deno.test("a master that answers the request of each pool is accepted, whatever else it sends", async () => {
  const other = beginCell().storeUint(opCodes.excesses, 32).storeUint(0, 64);
  const unrelated = [bounceOf(request(2)), bounceOf(other)].map((body) => ({ body, bounced: true }));
  await probe([{ body: answer(0) }, { body: answer(1) }, ...unrelated]);
});

Deno.test("a request that the wallet did not send is not blamed on the master", async () => {
  const scripted = new ScriptedChain();
  const validUntil = scripted.chainTime - MAX_BLOCK_TIME_SKEW_SECONDS - 1;
  const lost = { message: Cell.EMPTY, hash: "00", seqno: 1, validUntil };
  const wallet: Wallet = { ...scripted.wallet(deployer), send: () => Promise.resolve(lost) };
  await rejects(probeJettonMasters(pools, wallet, { chain: scripted.chain }), {
    code: "chain_unavailable",
    message: /the wallet did not accept the transfer/,
  });
});

Deno.test("a master that bounces the request of one pool only is refused", async () => {
  await rejects(probe([{ body: answer(0) }, { body: bounceOf(request(1)), bounced: true }]), {
    code: "deployment_refused",
    message: /rejects provide_wallet_address/,
  });
});

Deno.test("a master that answers the request of one pool only is refused", async () => {
  await rejects(probe([{ body: answer(0) }, { body: answer(0) }]), {
    code: "deployment_refused",
    message: /does not respond to provide_wallet_address/,
  });
});
