/**
 * A withdrawal that a wallet of one's own pays for. The chain shows that wallet beside the recipient, for ever: this is for
 * tests, and for the day on which no relayer is left.
 */
import { exitCodeName, Problem } from "../core/errors.ts";
import { formatAmount } from "../core/units.ts";
import type { ProveOptions } from "../prover/prover.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import type { Wallet } from "../ton/wallet.ts";
import { pause } from "./pause.ts";
import type { WithdrawArgs } from "./relayer_client.ts";
import { buildWithdrawArgs, type WithdrawRequest } from "./withdraw.ts";

/** What it is made of. */
export interface SelfRequest extends Omit<WithdrawRequest, "relayer" | "fee" | "refund"> {
  readonly chain: Chain;
  /** Pays the gas; most of what it attaches comes back. */
  readonly wallet: Wallet;
  readonly pollMs?: number;
  /** Called with what is proved, before it is sent. */
  readonly onProved?: (args: WithdrawArgs) => Promise<void>;
}

/** Seconds past a transfer's valid_until after which it can no longer be on its way. */
const EXPIRY_GRACE = 15;
const NATIVE = { asset: "native" } as const;
/** Nano that the transfer itself costs the wallet, at most. */
const TRANSFER_FEE = 20_000_000n;

/**
 * Withdraws and waits for the pool's answer.
 *
 * @throws {Problem} as {@linkcode buildWithdrawArgs} does; `insufficient_funds`; `contract_refused`; `chain_unavailable` when the
 *   transfer was not included in time: then the note is unspent
 */
export async function withdrawSelf(request: SelfRequest, options: ProveOptions = {}): Promise<TransactionId> {
  const { chain, pool, note, wallet, recipient, pollMs = 1_000 } = request;
  const args = await buildWithdrawArgs({ ...request, relayer: null, fee: 0n, refund: 0n }, options);
  // The price of gas may rise until it is there; what is left comes back.
  const value = (await pool.getWithdrawValue(0n)) * 5n / 4n;
  await assertFunds(wallet, value + TRANSFER_FEE);
  await request.onProved?.(args);
  let cursor = (await chain.account(pool.address)).last;
  const [root] = args.publicSignals.map(BigInt);
  const { nullifierHash } = note;
  const order = { root, nullifierHash, fee: 0n, refund: 0n, recipient, relayer: null, proof: args.proof };
  const { validUntil } = await wallet.send([pool.withdrawMessage({ ...order, value })]);
  for (;;) {
    const { now } = await wallet.state();
    const after = cursor;
    for await (const batch of scanPoolTransactions(chain, pool.address, { after, signal: options.signal })) {
      for (const event of batch.events) {
        if (event.kind === "deposit" || event.nullifierHash !== nullifierHash) continue;
        if (event.kind === "withdrawal") return event.tx;
        if (!event.sender.equals(wallet.address)) continue;
        const code = event.exitCode;
        const name = code === undefined ? "too little value" : exitCodeName(code) ?? `exit code ${code}`;
        throw new Problem("contract_refused", `the pool refused the withdrawal: ${name}`);
      }
      cursor = batch.cursor;
    }
    if (now > validUntil + EXPIRY_GRACE) {
      throw new Problem("chain_unavailable", "the transfer was not included in time; the note is unspent");
    }
    await pause(pollMs, options.signal);
  }
}

async function assertFunds(wallet: Wallet, needed: bigint): Promise<void> {
  const balance = await wallet.balance();
  if (balance >= needed) return;
  throw new Problem(
    "insufficient_funds",
    `${wallet.format()} holds ${formatAmount(balance, NATIVE)}, the withdrawal takes ${
      formatAmount(needed, NATIVE)
    }, most of which comes back`,
  );
}
