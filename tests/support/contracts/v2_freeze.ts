/** Freezing and thawing of a version 2 pool that has not paid for its storage. */
import assert from "node:assert/strict";
import {
  beginCell,
  type Cell,
  contractAddress,
  internal as relaxed,
  storeMessageRelaxed,
  toNano,
} from "@ton/core";
import { createShardAccount, internal } from "@ton/sandbox";
import { compileCached } from "../../../testkit/chain/compiled_contracts.ts";
import { emptyBody } from "../../../testkit/chain/pool_sandbox.ts";
import type { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";

/** Returns whether the pool is active, frozen or uninitialized. */
export async function accountState({ pool }: V2Sandbox): Promise<string | undefined> {
  return (await pool.chain.getContract(pool.address)).accountState?.type;
}

/** Sends one nano without the bounce flag, so that the chain collects the storage fee. */
export async function poke({ pool }: V2Sandbox): Promise<void> {
  const from = pool.user.address;
  await pool.chain.sendMessage(
    internal({ from, to: pool.address, value: 1n, bounce: false, body: emptyBody }),
  );
}

/**
 * Sends a state to the pool through a contract that stores it, because the chain limits the messages of
 * contracts.
 */
export async function sendState(
  { pool }: V2Sandbox,
  init: { code: Cell; data: Cell },
  value: bigint,
): Promise<void> {
  const code = await compileCached("testkit/chain/v2/message_sender.tolk");
  const message = relaxed({ to: pool.address, value: 0n, bounce: false, init });
  const data = beginCell().store(storeMessageRelaxed(message)).endCell();
  const address = contractAddress(0, { code, data });
  await pool.chain.setShardAccount(address, createShardAccount({ address, code, data, balance: toNano(1) }));
  const trigger = internal({ from: pool.user.address, to: address, value, bounce: false, body: emptyBody });
  const { transactions } = await pool.chain.sendMessage(trigger);
  const receiver = BigInt(`0x${pool.address.hash.toString("hex")}`);
  assert.ok(transactions.some(({ address }) => address === receiver), "the chain delivered the message");
}
