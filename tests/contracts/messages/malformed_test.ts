/**
 * Bodies that begin like a deposit or a withdrawal but are neither: ERR_MALFORMED, before any other check.
 */
import { beginCell, type Builder } from "@ton/core";
import {
  alterCell,
  malformedDeposits,
  malformedWithdrawals,
  offerLibraries,
  storeNoAddress,
  storeStdAddress,
} from "../../support/contracts/malformed_bodies.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import { freshElement, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

Deno.test("a malformed deposit is ERR_MALFORMED", async (t) => {
  const pool = await PoolSandbox.open();
  const body = await pool.depositBody();
  offerLibraries(pool, body);
  for (const [claim, cell] of malformedDeposits(body)) {
    await t.step(
      claim,
      () => assertRejected(pool, "ERR_MALFORMED", () => pool.send(cell, pool.denomination)),
    );
  }
});

Deno.test("a malformed withdrawal is ERR_MALFORMED", async (t) => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const body = pool.withdrawBody();
  offerLibraries(pool, body);
  const value = await pool.withdrawValue();
  for (const [claim, cell] of malformedWithdrawals(body)) {
    await t.step(claim, () => assertRejected(pool, "ERR_MALFORMED", () => pool.send(cell, value)));
  }
});

Deno.test("parties that are well formed but invalid have another exit code", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const body = pool.withdrawBody({ nullifierHash: freshElement() });
  const value = await pool.withdrawValue();
  for (
    const store of [
      (b: Builder) => storeStdAddress(5)(storeStdAddress()(b)),
      (b: Builder) => storeNoAddress(storeStdAddress(-1)(b)),
    ]
  ) {
    const cell = alterCell(body, { refs: [store(beginCell()).endCell(), body.refs[1]] });
    await assertRejected(pool, "ERR_PROOF_INVALID", () => pool.send(cell, value));
  }
});
