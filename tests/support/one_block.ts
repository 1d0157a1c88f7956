/** Messages that meet in one block: all of them are delivered before anything that they cause. */
import type { Message, Transaction } from "@ton/core";
import type { PoolSandbox } from "./pool_sandbox.ts";

/** Delivers messages to the pool one after another, then all that came of them; gives the exit codes of the pool's transactions. */
export async function inOneBlock(pool: PoolSandbox, messages: readonly Message[]): Promise<number[]> {
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

/** The compute phase's exit code; -1 when there was none. */
export function exitCodeOf({ description }: Transaction): number {
  return description.type === "generic" && description.computePhase.type === "vm"
    ? description.computePhase.exitCode
    : -1;
}

/** Exit codes of those of these transactions that are the pool's, in order. */
export function exitCodesAt(pool: PoolSandbox, transactions: readonly Transaction[]): number[] {
  return transactions.filter(({ inMessage }) => inMessage?.info.dest?.toString() === pool.address.toString())
    .map(exitCodeOf);
}
