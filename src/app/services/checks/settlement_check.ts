/** Reads from the endpoint for deposits which deposits are settled. Relayers and the other endpoint learn nothing. */
import { poolKey } from "../../../core/protocol/deployments.ts";
import type { Problem } from "../../../core/errors/problem.ts";
import { openPool } from "../../../ton/pool/any_pool.ts";
import { V2Pool } from "../../../ton/pool/v2/pool.ts";
import type { CheckResultView, NoteFacts } from "../../flows/check.ts";
import { toProblem } from "../../flows/machine.ts";
import { type AppContext, deploymentOf, depositChain, type Session } from "../context.ts";
import { waitsForSettlement } from "./check_side.ts";

/**
 * Queries all version 2 pools, so that the requests name no note. A false answer moves no money, because a withdrawal
 * verifies the tree.
 */
export async function checkSettlements(
  context: AppContext,
  { store }: Pick<Session, "store">,
  signal: AbortSignal,
): Promise<CheckResultView> {
  const chain = depositChain(context);
  const facts = new Map<string, NoteFacts>();
  const unread: { readonly pool: string; readonly problem: Problem }[] = [];
  let chainTime: number | undefined;
  for (const deployment of context.registry.pools.values()) {
    const pool = openPool(chain, deployment.address, deployment.version);
    if (!(pool instanceof V2Pool)) continue;
    try {
      const settled = await pool.getSettled({ signal });
      chainTime ??= (await chain.account(pool.address, { signal })).syncUtime;
      for (const record of await store.list()) {
        if (!waitsForSettlement(record) || deploymentOf(context, record) !== deployment) continue;
        const { id, deposit } = record;
        const isSettled = deposit?.leafIndex !== undefined && deposit.leafIndex < settled;
        facts.set(id, { state: isSettled ? "deposited" : "waiting" });
        if (isSettled) await store.update(id, { deposit: { ...deposit, settled: true } });
      }
    } catch (error) {
      if (signal.aborted) throw error;
      unread.push({ pool: poolKey(deployment), problem: toProblem(error) });
    }
  }
  return { facts, recovered: 0, unread, chainTime };
}
