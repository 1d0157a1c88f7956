/**
 * The bounds on gas and size that the money rules of a version 2 jetton pool rely on, and its gas snapshot.
 */
import assert from "node:assert/strict";
import { storeRetryPayout } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { MAX_MESSAGE_BITS, MAX_MESSAGE_CELLS } from "../../../../src/ops/rescue/rescue_plan.ts";
import { storageSize } from "../../../../src/ton/account_storage.ts";
import { contractConstants } from "../../../../testkit/chain/contract_constants.ts";
import { manyClaims } from "../../../../testkit/chain/v2/claims.ts";
import { fullPool } from "../../../../testkit/chain/v2/full_pool.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { v2TrapdoorJettonCode } from "../../../../testkit/chain/v2/trapdoor_codes.ts";
import { readSnapshot } from "../../../../testkit/gas/snapshot.ts";
import {
  HIGHEST_BATCH_FIGURE,
  HIGHEST_JETTON_DEPOSIT_FIGURES,
  HIGHEST_JETTON_PATH_FIGURE,
  v2JettonMeasurements,
} from "../../../../testkit/gas/v2_jetton_figures.ts";
import { assertAccepted } from "../../../support/contracts/v2_assertions.ts";

const { version2Jetton } = await readSnapshot();
const constant = await contractConstants(2);
const QUEUED = Number(constant("MAX_QUEUED_JETTON"));
const CLAIMS = 256;

function assertTight(gas: number, name: string): void {
  const bound = Number(constant(name));
  assert.ok(
    gas * 1.03 <= bound && gas * 1.06 >= bound,
    `${name} is ${bound}, the most expensive took ${gas}`,
  );
}

Deno.test("gas of every message is as committed", async (t) => {
  const measured: string[] = [];
  for (const [what, measure] of Object.entries(v2JettonMeasurements)) {
    await t.step(what, async () => {
      for (const [name, gas] of Object.entries(await measure())) {
        assert.equal(gas, version2Jetton[name], name);
        measured.push(name);
      }
    });
  }
  assert.deepEqual(measured, Object.keys(version2Jetton), "the snapshot has no other figures");
});

Deno.test("no message takes more gas than its bound, with three percent to spare", () => {
  const deposits = HIGHEST_JETTON_DEPOSIT_FIGURES.map((name) => version2Jetton[name]);
  assertTight(Math.max(...deposits), "GAS_HIGHEST_JETTON_DEPOSIT");
  assertTight(version2Jetton[HIGHEST_JETTON_PATH_FIGURE], "GAS_HIGHEST_JETTON_WITHDRAW");
  assert.ok(version2Jetton[HIGHEST_BATCH_FIGURE] < 1_000_000);
});

Deno.test("no retry takes more gas than GAS_HIGHEST_RETRY", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  let highest = 0n;
  for (const count of [1, 255, 3072]) {
    const claims = manyClaims(count);
    await sandbox.setState(
      { deposits: 40, settled: 40, commitment: () => 1n, roots: [5n] },
      undefined,
      claims,
    );
    for (const { id } of claims.filter((_, i) => i % 512 === 0)) {
      const { gasUsed } = assertAccepted(await sandbox.send(storeRetryPayout(id), 300_000_000n));
      if (gasUsed > highest) highest = gasUsed;
    }
  }
  assert.ok(highest * 103n <= constant("GAS_HIGHEST_RETRY") * 100n, `the most expensive took ${highest}`);
});

/**
 * Returns the account's size with this queue and these claims, and with 255 settled deposits in its oldest
 * list.
 */
async function sizeWith(sandbox: V2JettonSandbox, queued: number, claims: number) {
  const { state } = fullPool();
  const settled = state.deposits! - 1 - queued - (state.deposits! - 1 - queued) % 256 + 255;
  const deposits = settled + queued;
  await sandbox.setState(
    { ...state, deposits, settled, withdrawals: 0, commitment: (leafIndex) => BigInt(leafIndex) * 3n + 1n },
    undefined,
    manyClaims(claims, () => 2n ** 100n),
  );
  return storageSize({ code: await v2TrapdoorJettonCode(), data: await sandbox.pool.data() });
}

Deno.test("the account stays below the sizes that its fees are computed from", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const fixed = await sizeWith(sandbox, 0, 0);
  const bounds = { cells: constant("FIXED_JETTON_CELLS"), bits: constant("FIXED_JETTON_BITS") };
  assert.ok(fixed.cells <= bounds.cells && fixed.bits <= bounds.bits, `${fixed.cells}, ${fixed.bits}`);
  const queued = await sizeWith(sandbox, QUEUED, 0);
  assert.ok(queued.cells <= bounds.cells + BigInt(QUEUED + 2) / 3n);
  assert.ok(queued.bits <= bounds.bits + 300n * BigInt(QUEUED));
  const claimed = await sizeWith(sandbox, 0, CLAIMS);
  assert.ok(claimed.cells - fixed.cells <= constant("CLAIM_CELLS") * BigInt(CLAIMS));
  assert.ok(claimed.bits - fixed.bits <= constant("CLAIM_BITS") * BigInt(CLAIMS));
});

Deno.test("the largest state fits a message: 2^20 notes, the fullest queue, and 256 claims", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { cells, bits } = await sizeWith(sandbox, QUEUED, CLAIMS);
  assert.ok(cells < MAX_MESSAGE_CELLS && bits < MAX_MESSAGE_BITS, `${cells} cells, ${bits} bits`);
});
