/** Delivers messages in one block: all of them arrive before any message that they cause. */
import type { Message, Transaction } from "@ton/core";
import type { PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

/**
 * Delivers messages to the pool, then all messages that they cause. Returns the exit codes of the pool's
 * transactions.
 */
export async function deliverInOneBlock(pool: PoolSandbox, messages: readonly Message[]): Promise<number[]> {
  const queues = [];
  for (const message of messages) {
    queues.push(await pool.chain.sendMessageIter(message, { allowParallel: true }));
  }
  const codes: number[] = [];
  for (const queue of queues) {
    const { value } = await queue.next();
    codes.push(exitCodeOf(value));
  }
  for (const queue of queues) for await (const _ of queue);
  return codes;
}

/** Returns the compute phase's exit code, or -1 without a compute phase. */
export function exitCodeOf({ description }: Transaction): number {
  return description.type === "generic" && description.computePhase.type === "vm"
    ? description.computePhase.exitCode
    : -1;
}

/** Returns the exit codes of the pool's transactions among these, in order. */
export function exitCodesAt(pool: PoolSandbox, transactions: readonly Transaction[]): number[] {
  return transactions.filter(({ inMessage }) => inMessage?.info.dest?.toString() === pool.address.toString())
    .map(exitCodeOf);
}
