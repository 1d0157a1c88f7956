/** A version 2 pool that did not pay for its storage: frozen by the chain, thawed by a message of a contract. */
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
import { MAX_MESSAGE_BITS, MAX_MESSAGE_CELLS } from "../../../src/ops/rescue/rescue_plan.ts";
import { storageSize } from "../../../src/ton/account_storage.ts";
import { emptyV2PoolState, encodeV2PoolData } from "../../../src/ton/pool/v2/pool_state.ts";
import { compileCached } from "../../../testkit/chain/compiled_contracts.ts";
import { emptyBody } from "../../../testkit/chain/pool_sandbox.ts";
import { fullPool } from "../../../testkit/chain/v2/full_pool.ts";
import { V2Sandbox, v2TrapdoorCode } from "../../../testkit/chain/v2/sandbox.ts";
import { assertAccepted } from "../../support/contracts/v2_assertions.ts";

const YEAR = 31_557_600;

/** Sends a state to the pool through a contract that holds it, because the chain limits what contracts send. */
async function sendByContract({ pool }: V2Sandbox, init: { code: Cell; data: Cell }, value: bigint) {
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

const stateOf = async ({ pool }: V2Sandbox) =>
  (await pool.chain.getContract(pool.address)).accountState?.type;

Deno.test("a frozen pool of 2^20 notes is thawed by a contract's message, and pays the next withdrawal", async () => {
  const { state, drawKey } = fullPool();
  const sandbox = await V2Sandbox.open();
  const { pool } = sandbox;
  await sandbox.setState(state, 10_000_000n);
  const data = await pool.data();
  const code = await v2TrapdoorCode();
  const { cells, bits } = storageSize({ code, data });
  assert.ok(cells < MAX_MESSAGE_CELLS && bits < MAX_MESSAGE_BITS, `${cells} cells, ${bits} bits`);

  const from = pool.user.address;
  const poke = internal({ from, to: pool.address, value: 1n, bounce: false, body: emptyBody });
  pool.chain.now! += 5 * YEAR;
  await pool.chain.sendMessage(poke);
  assert.equal(await stateOf(sandbox), "frozen");

  await sendByContract(sandbox, {
    code,
    data: encodeV2PoolData(emptyV2PoolState({ denomination: pool.denomination, owner: null, generation: 0 })),
  }, toNano(100));
  assert.equal(await stateOf(sandbox), "frozen", "another state does not thaw it");
  await sendByContract(sandbox, { code, data }, toNano(11_000));
  assert.equal(await stateOf(sandbox), "active");
  assert.equal((await pool.data()).hash().toString("hex"), data.hash().toString("hex"));

  const nullifierHash = drawKey();
  assertAccepted(await sandbox.withdraw({ nullifierHash, value: toNano(20) }));
  assert.equal((await sandbox.withdraw({ nullifierHash, value: toNano(20) })).exitCode, 202);
});
