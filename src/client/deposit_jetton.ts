/**
 * Puts a note's commitment into a jetton pool, by a transfer from the depositor's own jetton wallet that carries the
 * deposit. Such a message does not bounce: what the pool refuses comes back as a transfer of its own, which is waited for
 * here, so that whoever tries again has the jettons.
 */
import type { Address } from "@ton/core";
import { exitCodeName, exitCodes, Problem } from "../core/errors.ts";
import { formatUnits } from "../core/units.ts";
import type { ProveOptions } from "../prover/prover.ts";
import type { TransactionId } from "../ton/chain.ts";
import { messagesSince } from "../ton/inbox.ts";
import { jettonWalletAddress, jettonWalletData } from "../ton/jetton.ts";
import type { RefusedEvent } from "../ton/pool_event.ts";
import { depositBy, type DepositRequest, type DepositResult } from "./deposit_attempts.ts";
import { assertNoteFits, type FittingPool, type PoolJetton } from "./note_pool.ts";
import { pause } from "./pause.ts";

/** What a jetton deposit is made of. `wallet` owns the jettons and pays the way in coins, most of which come back. */
export interface JettonDepositRequest extends DepositRequest {
  readonly jetton: PoolJetton;
}

/** As for coins, and two wallets more on the way. */
const EXPIRY_GRACE = 60;
/** Seconds of chain time that a refused deposit may take to come back. */
const RETURN_TIME = 120;
/** Nano for the wallet's own transfer. */
const TRANSFER_FEE = 50_000_000n;

/**
 * Deposits exactly the pool's denomination of its jetton.
 *
 * @throws {Problem} `wrong_pool`, also when the pool's wallet is not the one that the master gives it;
 *   `insufficient_funds`, of jettons or of coins; `contract_refused` when the pool refuses for any reason but a lost race
 *   (the jettons have come back then), or the own jetton wallet does; `deposit_lost` when the pool never answers, or after
 *   `attempts` lost races; `tree_incomplete` when the source of the tree stays behind the chain; `unknown_root`, `cancelled`
 */
export async function depositJetton(
  request: JettonDepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { chain, pool, note, wallet, jetton } = request;
  if (note.asset === "native") throw new Problem("wrong_pool", "the note is for the native coin");
  const fitting = await assertNoteFits(pool, note, request.network, jetton);
  const poolWallet = await checkedPoolWallet(request, fitting);
  const own = await jettonWalletAddress(chain, jetton.jettonMaster, wallet.address);
  const forward = await pool.getDepositValue();
  await assertFunds(request, fitting, own, forward);
  const { denomination } = fitting;

  let before: TransactionId | undefined;
  return await depositBy(
    {
      grace: EXPIRY_GRACE,
      message: (deposit) =>
        pool.jettonDepositMessage({
          ...deposit,
          amount: denomination,
          owner: wallet.address,
          wallet: own,
          forward,
        }),
      // Anybody can send the pool a notification in our name: it counts only from the pool's own wallet.
      isOurs: ({ sender, depositor }) =>
        sender.equals(poolWallet) && depositor?.equals(wallet.address) === true,
      async watch() {
        before = (await chain.account(wallet.address)).last;
        return (signal) => assertNotBounced(request, own, before, signal);
      },
      returned: (event, signal) => untilReturned(request, event, own, before, signal),
      lost: "the pool got no jettons in time: see whether they are still in your jetton wallet",
    },
    request,
    options,
  );
}

/** The pool's wallet: without it a deposit is refused, with another one than the master's it would be lost. */
export async function checkedPoolWallet(
  { chain, pool, jetton }: Pick<JettonDepositRequest, "chain" | "pool" | "jetton">,
  { info: { jettonWallet } }: FittingPool,
): Promise<Address> {
  if (jettonWallet === null) {
    throw new Problem(
      "contract_refused",
      "the pool does not know its jetton wallet yet (ERR_JETTON_WALLET_UNKNOWN); nothing was sent",
      { members: { exitCode: exitCodes.ERR_JETTON_WALLET_UNKNOWN } },
    );
  }
  const expected = await jettonWalletAddress(chain, jetton.jettonMaster, pool.address);
  if (!jettonWallet.equals(expected)) {
    throw new Problem("wrong_pool", `the pool listens to ${jettonWallet}, its jetton wallet is ${expected}`);
  }
  return jettonWallet;
}

async function assertFunds(
  { chain, wallet, jetton: { asset, decimals } }: JettonDepositRequest,
  { denomination }: FittingPool,
  own: Address,
  forward: bigint,
): Promise<void> {
  const held = (await jettonWalletData(chain, own))?.balance ?? 0n;
  if (held < denomination) {
    const text = `${wallet.format()} holds ${formatUnits(held, decimals)} ${asset}, ` +
      `the pool takes ${formatUnits(denomination, decimals)}`;
    throw new Problem("insufficient_funds", text);
  }
  const needed = 2n * forward + TRANSFER_FEE;
  const balance = await wallet.balance();
  if (balance < needed) {
    const text = `${wallet.format()} holds ${formatUnits(balance)} native units, ` +
      `the way takes ${formatUnits(needed)}, most of which comes back`;
    throw new Problem("insufficient_funds", text);
  }
}

/** The own jetton wallet may refuse: then the pool never hears of it. */
async function assertNotBounced(
  { chain, wallet }: JettonDepositRequest,
  own: Address,
  after: TransactionId | undefined,
  signal?: AbortSignal,
): Promise<void> {
  for (const { info } of await messagesSince(chain, wallet.address, after, { signal })) {
    if (info.type === "internal" && info.bounced && info.src.equals(own)) {
      throw new Problem("contract_refused", "your jetton wallet refused the transfer; the jettons are there");
    }
  }
}

/** Waits for the jettons and the pool's reason. */
async function untilReturned(
  { chain, pool, wallet, pollMs = 1000 }: JettonDepositRequest,
  { exitCode, timestamp }: RefusedEvent,
  own: Address,
  after: TransactionId | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const name = exitCode === undefined ? undefined : exitCodeName(exitCode);
  for (;;) {
    const { now } = await wallet.state();
    const messages = await messagesSince(chain, wallet.address, after, { signal });
    const returned = messages.map((message) => pool.returnedDeposit(message, own));
    if (name !== undefined && returned.some((deposit) => deposit?.refused === name)) return;
    if (name === undefined || now > timestamp + RETURN_TIME) {
      throw new Problem(
        "contract_refused",
        `the pool refused the deposit: ${name ?? `exit code ${exitCode}`}; the jettons are not back yet`,
        { members: { exitCode } },
      );
    }
    await pause(pollMs, signal);
  }
}
