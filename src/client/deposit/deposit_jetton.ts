/** Deposits jettons. Their transfer does not bounce: the pool returns a refused deposit with another transfer. */
import type { Address } from "@ton/core";
import { exitCodeName, exitCodes, Problem } from "../../core/errors/problem.ts";
import { formatNative, formatUnits } from "../../core/protocol/units.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import type { TransactionId } from "../../ton/chain.ts";
import { assertFunds } from "../../ton/wallet/funds.ts";
import { incomingMessagesSince } from "../../ton/wallet/incoming_messages.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../ton/jetton/jetton.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import type { JettonDepositArgs } from "../../ton/pool/pool_getters.ts";
import { EXPIRY_GRACE_SECONDS } from "../../ton/pool/history/pool_watch.ts";
import type { RefusedEvent } from "../../ton/pool/history/pool_events.ts";
import { assertNoteMatchesPool, type MatchedPool, type PoolJetton } from "../notes/pool_match.ts";
import { pollUntil } from "../../core/time/deadline.ts";
import { type DepositRequest, runDepositAttempts } from "./deposit_attempts.ts";
import { type DepositResult, refusedPayer } from "./deposit_events.ts";

/** `wallet` owns the jettons and pays the gas in native coins, most of which are returned. */
export interface JettonDepositRequest extends DepositRequest {
  readonly jetton: PoolJetton;
}

const REFUND_TIMEOUT_SECONDS = 120;
/** The wallet sends twice this. The contract tests of jetton pools compare it with what pools ask for: at most 0.3 GRAM. */
export const MAX_DEPOSIT_VALUE_NANO = 1_000_000_000n;
const MAX_JETTON_TRANSFER_FEE_NANO = 50_000_000n;

/**
 * Deposits exactly the pool's denomination of its jetton.
 * @throws {Problem} as {@linkcode depositNative} does; `insufficient_funds`; `wrong_pool` if the pool's
 *   jetton wallet is not the master's; `contract_refused` if the wallet's own jetton wallet refuses the transfer
 * @example
 * ```ts
 * const jetton = { asset: "usdt", decimals: 6, jettonMaster };
 * await depositJetton({ chain, pool, network: "testnet", wallet, note, jetton, prover });
 * ```
 */
export async function depositJetton(
  request: JettonDepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { chain, pool, note, wallet, jetton } = request;
  if (note.asset === "native") throw new Problem("wrong_pool", "the note is for the native coin");
  const matched = await assertNoteMatchesPool(pool, note, request.network, jetton);
  const { poolWallet, transfer } = await prepareJettonTransfer(request, matched, wallet.address);
  const { jettonWallet: ownJettonWallet } = transfer;
  await assertJettonDepositFunds(request, matched, ownJettonWallet, transfer.forwardAmount);

  let before: TransactionId | undefined;
  return await runDepositAttempts(
    {
      expiryGraceSeconds: EXPIRY_GRACE_SECONDS.jetton,
      buildMessage: (deposit) => pool.buildJettonDepositMessage({ ...deposit, ...transfer }),
      isOwnRefusal: (event) => refusedPayer(event, poolWallet)?.equals(wallet.address) === true,
      async watchForBounce() {
        before = (await chain.account(wallet.address)).last;
        return (signal) => assertNotBounced(request, ownJettonWallet, before, signal);
      },
      waitForReturn: (event, signal) => waitForReturn(request, event, ownJettonWallet, before, signal),
      timeoutMessage:
        "the pool received no jettons in time. Check whether they are still in your jetton wallet",
    },
    request,
    options,
  );
}

interface PreparedTransfer {
  readonly poolWallet: Address;
  readonly transfer: JettonDepositArgs;
}

/**
 * Prepares a transfer of the denomination from `owner` to the pool. Throws `invalid_address` without an owner;
 * `chain_inconsistent` if the endpoint asks for more than 1 GRAM for gas; as {@linkcode verifyPoolJettonWallet}.
 */
export async function prepareJettonTransfer(
  target: Pick<JettonDepositRequest, "chain" | "jetton"> & { readonly pool: AnyPool },
  matched: MatchedPool,
  owner: Address | undefined,
): Promise<PreparedTransfer> {
  if (owner === undefined) {
    throw new Problem(
      "invalid_address",
      "a deposit of jettons needs the address of the wallet that holds them",
    );
  }
  const { chain, pool, jetton } = target;
  const poolWallet = await verifyPoolJettonWallet(target, matched);
  const jettonWallet = await fetchJettonWalletAddress(chain, jetton.jettonMaster, owner);
  const forwardAmount = await pool.getDepositValue();
  if (forwardAmount > MAX_DEPOSIT_VALUE_NANO) {
    const [asked, most] = [forwardAmount, MAX_DEPOSIT_VALUE_NANO].map(formatNative);
    throw new Problem(
      "chain_inconsistent",
      `the endpoint asks for ${asked} for a deposit's gas, more than ${most}`,
    );
  }
  return { poolWallet, transfer: { amount: matched.denomination, owner, jettonWallet, forwardAmount } };
}

/** Throws `contract_refused` if the pool has no jetton wallet, and `wrong_pool` if it would lose the jettons. */
async function verifyPoolJettonWallet(
  { chain, pool, jetton }: Pick<JettonDepositRequest, "chain" | "jetton"> & { readonly pool: AnyPool },
  { info: { jettonWallet } }: MatchedPool,
): Promise<Address> {
  if (jettonWallet === null) {
    throw new Problem(
      "contract_refused",
      "the pool does not know its jetton wallet yet (ERR_JETTON_WALLET_UNKNOWN); nothing was sent",
      { members: { exitCode: exitCodes.ERR_JETTON_WALLET_UNKNOWN } },
    );
  }
  const expected = await fetchJettonWalletAddress(chain, jetton.jettonMaster, pool.address);
  if (!jettonWallet.equals(expected)) {
    throw new Problem(
      "wrong_pool",
      `the pool accepts deposits from ${jettonWallet}, but its jetton wallet is ${expected}`,
    );
  }
  return jettonWallet;
}

/** Throws `insufficient_funds` if the wallet lacks jettons, or the coins to send them. */
export async function assertJettonDepositFunds(
  { chain, wallet, jetton: { asset, decimals } }: Pick<JettonDepositRequest, "chain" | "wallet" | "jetton">,
  { denomination }: MatchedPool,
  ownJettonWallet: Address,
  forwardAmount: bigint,
): Promise<void> {
  const ownBalance = (await fetchJettonWalletData(chain, ownJettonWallet))?.balance ?? 0n;
  if (ownBalance < denomination) {
    const text = `${wallet.format()} holds ${formatUnits(ownBalance, decimals)} ${asset}, ` +
      `the deposit needs ${formatUnits(denomination, decimals)}`;
    throw new Problem("insufficient_funds", text);
  }
  const needed = 2n * forwardAmount + MAX_JETTON_TRANSFER_FEE_NANO;
  await assertFunds(wallet, needed, "deposit");
}

/** Throws `contract_refused` if the wallet's own jetton wallet has refused a transfer since then. */
export async function assertNotBounced(
  { chain, wallet }: Pick<JettonDepositRequest, "chain" | "wallet">,
  ownJettonWallet: Address,
  after: TransactionId | undefined,
  signal?: AbortSignal,
): Promise<void> {
  for (const { info } of await incomingMessagesSince(chain, wallet.address, after, { signal })) {
    if (info.type === "internal" && info.bounced && info.src.equals(ownJettonWallet)) {
      throw new Problem(
        "contract_refused",
        "your jetton wallet refused the transfer and still holds the jettons",
      );
    }
  }
}

async function waitForReturn(
  { chain, pool, wallet, pollIntervalMs = 1_000, clock }: JettonDepositRequest,
  { exitCode, timestamp }: RefusedEvent,
  ownJettonWallet: Address,
  after: TransactionId | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const name = exitCode === undefined ? undefined : exitCodeName(exitCode);
  await pollUntil(async () => {
    const chainTime = (await wallet.state()).now; // before the read, which then covers all until then
    const messages = await incomingMessagesSince(chain, wallet.address, after, { signal });
    const returned = messages.map((message) => pool.parseReturnedDeposit(message, ownJettonWallet));
    if (name !== undefined && returned.some((deposit) => deposit?.reason === name)) return true;
    if (name !== undefined && chainTime <= timestamp + REFUND_TIMEOUT_SECONDS) return false;
    throw new Problem(
      "contract_refused",
      `the pool refused the deposit: ${
        name ?? `exit code ${exitCode}`
      }; the jettons have not been returned yet`,
      { members: { exitCode } },
    );
  }, { intervalMs: pollIntervalMs, timeoutMs: Infinity, signal, clock });
}
