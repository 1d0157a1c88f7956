/** Pays a deposit whose note is stored. */
import { ChainClock } from "../../../client/deposit/checks/chain_clock.ts";
import type { DepositStep } from "../../../client/deposit/deposit_attempts.ts";
import type { DepositResult } from "../../../client/deposit/deposit_events.ts";
import { depositJetton } from "../../../client/deposit/deposit_jetton.ts";
import { depositNative } from "../../../client/deposit/deposit_native.ts";
import { depositByPayer, type PayerDepositStep } from "../../../client/deposit/deposit_payer.ts";
import { depositByTransfer } from "../../../client/deposit/deposit_transfer.ts";
import type { PayerSource } from "../../../client/deposit/payer.ts";
import { assertFunds, assertGas } from "../../../client/deposit/payer_funds.ts";
import type { NoteRecord, NoteStore } from "../../../client/notes/note_store.ts";
import { type PoolJetton, toPoolJetton } from "../../../client/notes/pool_match.ts";
import { RelayerClient } from "../../../client/relayer/relayer_client.ts";
import type { WalletPayer } from "../../../client/tonconnect/bridge.ts";
import { commitmentsFromRelayer } from "../../../client/tree_sync.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { systemClock } from "../../../core/time/clock.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { AnyPool } from "../../../ton/pool/any_pool.ts";
import { V2Pool } from "../../../ton/pool/v2/pool.ts";
import type { Wallet } from "../../../ton/wallet/wallet.ts";
import { type CliContext, withProver } from "../../context.ts";
import type { ChainOptions } from "../../options/chain_options.ts";
import { connectPayer, type ConnectTarget, REQUEST_SECONDS } from "../../options/connect_options.ts";
import { POLL_INTERVALS_MS } from "../../options/polling_intervals.ts";
import type { DepositView } from "../../output/payment/deposit_view.ts";
import type { DepositTree } from "./next_note.ts";

const waitMs = ({ wait }: Pick<PayDepositOptions, "wait">) => Number(wait) * 60_000;

type PayDepositOptions = ChainOptions & { readonly wait: string; readonly relayer?: string };

interface Payment {
  readonly chain: Chain;
  readonly pool: AnyPool;
  readonly record: NoteRecord;
  readonly deployment: Deployment;
  readonly wallet?: Wallet | undefined;
  readonly payer?: PayerSource | undefined;
  readonly view: DepositView;
  readonly leaves?: DepositTree | undefined;
  readonly signal: AbortSignal;
}

/** Finds an earlier deposit; otherwise pays from the wallet, or from a phone that connects, or waits for any wallet. */
export async function payDeposit(
  context: CliContext,
  options: PayDepositOptions,
  { target, store, payment }: {
    readonly target: ConnectTarget | undefined;
    readonly store: NoteStore;
    readonly payment: Payment;
  },
): Promise<DepositResult> {
  if (!target) return await payIntoPool(context, options, payment);
  const { chain, view, signal, record, deployment } = payment;
  const { network } = options;
  const jetton = toPoolJetton(deployment);
  const chainClock = new ChainClock(context);
  let connected: WalletPayer | undefined;
  const payer = async () => {
    const wallet = await connectPayer(context, target, { network, view, signal, timeoutMs: waitMs(options) });
    connected = wallet;
    await store.update(record.id, { deposit: { from: wallet.address.toRawString() } });
    await assertFunds(chain, { denomination: deployment.denomination, jetton }, wallet);
    return checkedPayer(wallet, { chain, jetton, chainClock });
  };
  try {
    return await payIntoPool(context, options, { ...payment, payer });
  } finally {
    await connected?.disconnect();
  }
}

/** Asks a wallet for a payment only if it can pay, and only if the time limit agrees with this machine's clock. */
export function checkedPayer(
  wallet: Pick<WalletPayer, "address" | "pay">,
  { chain, jetton, chainClock }: {
    readonly chain: Chain;
    readonly jetton: PoolJetton | undefined;
    readonly chainClock: ChainClock;
  },
): Pick<WalletPayer, "address" | "pay"> {
  return {
    address: wallet.address,
    async pay(message, options) {
      chainClock.check(options.validUntil - REQUEST_SECONDS);
      if (jetton) await assertGas(chain, wallet, message.amount);
      await wallet.pay(message, options);
    },
  };
}

async function payIntoPool(
  context: CliContext,
  options: PayDepositOptions,
  { chain, pool, record, deployment, wallet, payer, view, leaves, signal }: Payment,
): Promise<DepositResult> {
  const { network, relayer } = options;
  const jetton = toPoolJetton(deployment);
  const callOptions = { signal, onProgress: view.showProving };
  const clock = { ...systemClock, now: context.now };
  const timeoutMs = waitMs(options);
  const note = record.note.reveal();
  if (pool instanceof V2Pool) {
    return await depositByTransfer({
      chain,
      pool,
      network,
      note,
      wallet,
      payer,
      validForSeconds: REQUEST_SECONDS,
      timeoutMs,
      clock,
      jetton,
      pollIntervalMs: POLL_INTERVALS_MS[network],
      onStep: (step) => view.showTransferStep(step),
    }, callOptions);
  }
  return await withProver(context, async (prover) => {
    const request = {
      chain,
      pool,
      network,
      note,
      prover,
      pollIntervalMs: POLL_INTERVALS_MS[network],
      treeTimeoutMs: context.treeTimeoutMs,
      ...leaves ?? (relayer && { source: commitmentsFromRelayer(new RelayerClient(relayer), pool.address) }),
      onStep: (step: DepositStep | PayerDepositStep) => view.showStep(step),
    };
    if (wallet && jetton) return await depositJetton({ ...request, wallet, jetton }, callOptions);
    if (wallet) return await depositNative({ ...request, wallet }, callOptions);
    const byPayer = { payer: payer!, jetton, validForSeconds: REQUEST_SECONDS, timeoutMs, clock };
    return await depositByPayer({ ...request, ...byPayer }, callOptions);
  });
}
