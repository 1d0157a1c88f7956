/** Bodies that are no deposit and no withdrawal though they begin like one: ERR_MALFORMED, before anything else. */
import { beginCell, type Builder } from "@ton/core";
import {
  changed,
  malformedDeposits,
  malformedWithdrawals,
  none,
  offerLibraries,
  std,
} from "../support/malformed_bodies.ts";
import { assertRefused } from "../support/pool_claims.ts";
import { freshElement, PoolSandbox } from "../support/pool_sandbox.ts";

Deno.test("a malformed deposit is ERR_MALFORMED", async (t) => {
  const pool = await PoolSandbox.open();
  const body = await pool.depositBody();
  offerLibraries(pool, body);
  for (const [claim, cell] of malformedDeposits(body)) {
    await t.step(claim, () => assertRefused(pool, "ERR_MALFORMED", () => pool.send(cell, pool.denomination)));
  }
});

Deno.test("a malformed withdrawal is ERR_MALFORMED", async (t) => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const body = pool.withdrawBody();
  offerLibraries(pool, body);
  const value = await pool.withdrawValue();
  for (const [claim, cell] of malformedWithdrawals(body)) {
    await t.step(claim, () => assertRefused(pool, "ERR_MALFORMED", () => pool.send(cell, value)));
  }
});

Deno.test("where parties are well formed, what is said of them is another exit code", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const body = pool.withdrawBody({ nullifierHash: freshElement() });
  const value = await pool.withdrawValue();
  for (const store of [(b: Builder) => std(5)(std()(b)), (b: Builder) => none(std(-1)(b))]) {
    const cell = changed(body, { refs: [store(beginCell()).endCell(), body.refs[1]] });
    await assertRefused(pool, "ERR_PROOF_INVALID", () => pool.send(cell, value));
  }
});
