/** Withdraws without a relayer. The chain links wallet and recipient forever: for tests, or if no relayer works. */
import { exitCodes, Problem } from "../../core/errors/problem.ts";
import { slotPathAmong } from "../../core/protocol/v2/spent_set.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { assertNoStorageDebt } from "../../ton/pool/storage_debt.ts";
import { assertFunds } from "../../ton/wallet/funds.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import { EXPIRY_GRACE_SECONDS, refusalReason, waitForPoolEvent } from "../../ton/pool/history/pool_watch.ts";
import type { WithdrawArgs } from "../relayer/relayer_client.ts";
import { checkWithdrawal, proveWithdrawal, type WithdrawalRequest } from "./build_withdraw_args.ts";

/** A withdrawal whose gas the user's own wallet pays. */
export interface SelfWithdrawalRequest extends Omit<WithdrawalRequest, "relayer" | "fee" | "refund"> {
  readonly chain: Chain;
  /** Pays the gas; most of the attached value is returned. */
  readonly wallet: Wallet;
  readonly pollIntervalMs?: number;
  readonly onProved?: (args: WithdrawArgs) => Promise<void>;
}

const MAX_STALE_SLOTS = 5;
/** Lower than for jettons, because there is one message and no jetton wallet. */
const MAX_TRANSFER_FEE_NANO = 20_000_000n;

/** Throws as `buildWithdrawArgs` does; `insufficient_funds`, `contract_refused`; `chain_unavailable` after expiry. */
export async function withdrawSelf(
  request: SelfWithdrawalRequest,
  options: ProveOptions = {},
): Promise<TransactionId> {
  const checked = await checkWithdrawal(request, options);
  const { note } = checked;
  const args = await proveWithdrawal({ ...request, relayer: null, fee: 0n, refund: 0n }, checked, options);
  for (let staleSlots = 0;; staleSlots++) {
    try {
      return await sendWithdrawal({ ...request, note }, args, options);
    } catch (error) {
      // Another withdrawal changed the slot first. The note is unspent, and only the path is outside the proof.
      const isStale = error instanceof StaleSlot && staleSlots < MAX_STALE_SLOTS;
      if (!isStale) throw error;
    }
  }
}

class StaleSlot extends Problem {}

async function sendWithdrawal(
  request: SelfWithdrawalRequest,
  args: WithdrawArgs,
  options: ProveOptions,
): Promise<TransactionId> {
  const { chain, pool, note: { nullifierHash }, wallet, recipient, pollIntervalMs = 1_000, clock } = request;
  // The price of gas may rise before the message arrives; the excess is returned.
  const value = (await pool.getWithdrawValue(0n)) * 5n / 4n;
  await assertFunds(wallet, value + MAX_TRANSFER_FEE_NANO, "withdrawal");
  await request.onProved?.(args);
  const account = await chain.account(pool.address);
  await assertNoStorageDebt(chain, pool.address, account, { signal: options.signal });
  const after = account.last;
  const [root] = args.publicSignals.map(BigInt);
  const order = { root, nullifierHash, fee: 0n, refund: 0n, recipient, relayer: null, proof: args.proof };
  const message = pool instanceof V2Pool
    ? pool.buildWithdrawMessage({
      ...order,
      value,
      ...await placeWithdrawal(pool, { root, nullifierHash }, options),
    })
    : pool.buildWithdrawMessage({ ...order, value });
  const { validUntil } = await wallet.send([message]);
  let chainTime = 0;
  const tx = await waitForPoolEvent<TransactionId>(chain, pool.address, {
    after,
    pollIntervalMs,
    signal: options.signal,
    clock,
    beforeScan: async () => void (chainTime = (await wallet.state()).now),
    match(event) {
      if (event.kind !== "withdrawal" && event.kind !== "refused") return undefined;
      if (event.nullifierHash !== nullifierHash) return undefined;
      if (event.kind === "withdrawal") return event.tx;
      if (!event.sender.equals(wallet.address)) return undefined;
      const reason = refusalReason(event.exitCode);
      const Refusal = event.exitCode === exitCodes.ERR_STALE_SLOT ? StaleSlot : Problem;
      throw new Refusal("contract_refused", `the pool refused the withdrawal: ${reason}`);
    },
    afterScan: () => chainTime > validUntil + EXPIRY_GRACE_SECONDS.native,
  });
  if (tx !== undefined) return tx;
  throw new Problem("chain_unavailable", "the transfer was not included in time; the note is unspent");
}

/** Returns what a withdrawal adds to its proof. Throws `unknown_root` if the pool no longer accepts the root. */
async function placeWithdrawal(
  pool: V2Pool,
  { root, nullifierHash }: { readonly root: bigint; readonly nullifierHash: bigint },
  options: ProveOptions,
) {
  const log = await pool.readLog(options);
  return { rootNumber: log.rootNumber(root), carried: slotPathAmong(log.spentKeys, nullifierHash) };
}
