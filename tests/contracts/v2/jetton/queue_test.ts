/** Attacks on the queue of a version 2 jetton pool. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import { MAX_QUEUED_JETTON, PARTIAL_BATCH_SECONDS } from "../../../../src/core/protocol/v2/pool_constants.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import type { V2Outcome } from "../../../../testkit/chain/v2/sandbox.ts";
import {
  assertAccepted,
  assertRefused,
  assertStateMirrored,
} from "../../../support/contracts/v2_assertions.ts";

/** In GRAM, as in contracts/v2/SPEC.md. */
const GRIEFER_COST = "0.0076";
const VICTIM_COST = "0.0109";
const SPAM_COST = "78.1";
/** The deposits that are measured. */
const DEPOSITS = 64;
const commitment = (leafIndex: number) => BigInt(leafIndex) + 1n;

Deno.test("jettons: settling one deposit just before a full batch refuses the loser of the race, and the rest still settles", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  for (let i = 0; i < 16; i++) assertAccepted(await sandbox.deposit());
  const value = toNano("0.1");
  const cost = ({ sent: [{ info }] }: V2Outcome) => {
    assert.ok(info.type === "internal");
    return (Number(value - info.value.coins) / 1e9).toFixed(4);
  };
  const from = sandbox.pool.user.address;
  const victim = sandbox.settleBody({ end: 16, from });
  assert.equal(cost(assertAccepted(await sandbox.settle({ end: 1, value }))), GRIEFER_COST);
  const refused = () => sandbox.send(victim, value, { from });
  assert.equal(cost(await assertRefused(sandbox, "ERR_PROOF_INVALID", refused)), VICTIM_COST);
  assertAccepted(await sandbox.settle({ from }), "the other 15 complete the chunk at once");
  await assertStateMirrored(sandbox);
});

Deno.test("jettons: a settler who stops for a week: a depositor settles alone and at once, and is paid", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  for (let i = 0; i < 17; i++) assertAccepted(await sandbox.deposit());
  sandbox.pool.chain.now! += 7 * 86_400;
  const from = sandbox.pool.user.address;
  assertAccepted(await sandbox.settle({ from }));
  await assertRefused(
    sandbox,
    "ERR_TOO_SOON",
    () => sandbox.settle({ from }),
    "one deposit of the next chunk",
  );
  sandbox.pool.chain.now! += PARTIAL_BATCH_SECONDS;
  assertAccepted(await sandbox.settle({ from }));
  for (let i = 0; i < 17; i++) assertAccepted(await sandbox.withdraw({ value: toNano(1) }));
  assert.equal(await sandbox.balanceOf(sandbox.pool.address), 0n);
  await assertStateMirrored(sandbox);
});

Deno.test(`jettons: filling the queue takes ${SPAM_COST} GRAM, besides the deposits`, async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { chain, user } = sandbox.pool;
  const balance = async () => (await chain.getContract(user.address)).balance;
  const { info } = await sandbox.jettons.transferMessage();
  assert.ok(info.type === "internal");
  const before = await balance(); // the emulator subtracts nothing for the messages that a test sends
  for (let i = 0; i < DEPOSITS; i++) assertAccepted(await sandbox.deposit());
  const paid = BigInt(DEPOSITS) * info.value.coins - (await balance() - before);
  assert.equal((Number(paid) * MAX_QUEUED_JETTON / DEPOSITS / 1e9).toFixed(1), SPAM_COST);
  await sandbox.setState({ deposits: MAX_QUEUED_JETTON, settled: 0, commitment });
  while (sandbox.settled < 48) assertAccepted(await sandbox.settle());
  assertAccepted(await sandbox.deposit());
});
