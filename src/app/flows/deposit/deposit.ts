/** The deposit of one note, which is stored first. Only the pool's log proves a payment. */
import type { ProblemCode } from "../../../core/errors/problem.ts";
import type { Machine } from "../machine.ts";
import type { DepositEvent, DepositState, DepositTicket, PayingState, WalletStep } from "./deposit_state.ts";
import type { DepositServices } from "./deposit_services.ts";

/** Seconds after `validUntil` until every transfer that was sent in time is visible, also of jettons. */
export const EXPIRY_GRACE_SECONDS = 60;
/**
 * Seconds that a wallet has to pay. Tonkeeper for Android sends nothing in the last 15 (tonkeeper/android:
 * RootViewModel.kt).
 */
export const QUESTION_SECONDS = 180;
/** A wallet's request and its payment end sooner, unless chain time or the log stands still. */
const LONG_WAIT_MS = 330_000;
/** Faults of the pool: its notes cannot be paid, now or later. */
const UNPAYABLE: ReadonlySet<ProblemCode> = new Set(["pool_retired", "wrong_pool"]);

function beginPayment(ticket: DepositTicket): PayingState {
  return { step: "paying", ticket, attempt: 0, wallet: { at: "none" } };
}

/** Returns the state of a deposit that an earlier visit began. Its last payment request may still be paid. */
export function resumeDeposit(ticket: DepositTicket): DepositState {
  return { step: "paying", ticket, attempt: 1, wallet: { at: "waiting", question: {} }, isUnread: true };
}

export function depositMachine(services: DepositServices): Machine<DepositState, DepositEvent> {
  return {
    next: nextDeposit,
    failed: (problem, work) => ({ type: "failed", problem, work: work.split(" ")[0] }),
    works(state) {
      if (state.step === "choosing") {
        return {
          sizes: async (signal, send) => send({ type: "sizes", sizes: await services.sizes(signal) }),
          fees: async (signal, send) => send({ type: "fees", fees: await services.fees(signal) }),
        };
      }
      if (state.step === "preparing") {
        return {
          [`prepare ${state.pool.key}`]: async (signal, send) =>
            send({ type: "prepared", ticket: await services.prepare(state.pool, signal) }),
        };
      }
      if (state.step === "opening") {
        return {
          [`open ${state.id}`]: async (signal, send) =>
            send({ type: "opened", opened: await services.open(state.id, signal) }),
        };
      }
      if (state.step === "failed") {
        return state.retry?.step === "paying" ? sessionWork(state.retry.wallet) : {};
      }
      if (state.step !== "paying") return {};
      const { ticket, wallet } = state;
      return {
        [`watch ${ticket.id}`]: (signal, send) => services.watch(ticket, signal, send),
        ...sessionWork(wallet),
        ...walletWork(services, ticket, wallet, state.attempt),
      };
    },
  };
}

/** Disconnects the wallet when the deposit ends or is left, so that it is not connected during a withdrawal. */
function sessionWork(wallet: WalletStep): ReturnType<Machine<DepositState, DepositEvent>["works"]> {
  const payer = "payer" in wallet ? wallet.payer : undefined;
  if (payer === undefined) return {};
  return {
    session: async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      await payer.disconnect();
    },
  };
}

function walletWork(
  services: DepositServices,
  ticket: DepositTicket,
  wallet: WalletStep,
  attempt: number,
): ReturnType<Machine<DepositState, DepositEvent>["works"]> {
  if (wallet.at === "connecting") {
    return {
      [`connect ${wallet.source.id}`]: async (signal, send) => {
        const onLink = (link: string) => send({ type: "link", link });
        send({ type: "connected", payer: await services.connect(wallet.source, onLink, signal) });
      },
    };
  }
  if (wallet.at === "proving") {
    return {
      [`build ${attempt}`]: async (signal, send) => {
        const onProgress = (fraction: number) => send({ type: "progress", fraction });
        send({ type: "proved", ...await services.build(ticket, wallet.payer, { signal, onProgress }) });
      },
    };
  }
  if (wallet.at === "asking") {
    const { payer, message, question: { validUntil } } = wallet;
    return {
      [`ask ${attempt}`]: async (signal, send) => {
        await payer.pay(message, { validUntil, signal });
        send({ type: "answered" });
      },
    };
  }
  if (wallet.at === "waiting" && wallet.payer && !wallet.isLong) {
    return {
      [`wait ${attempt}`]: async (signal, send) => {
        await services.sleep(LONG_WAIT_MS, signal);
        send({ type: "long_wait" });
      },
    };
  }
  if (wallet.at === "returning") {
    return {
      [`return ${attempt}`]: async (signal, send) => {
        send({ type: "returned", isSeen: await services.waitForReturn(ticket, wallet.payer, signal) });
      },
    };
  }
  return {};
}

export function nextDeposit(state: DepositState, event: DepositEvent): DepositState {
  if (state.step === "done" || state.step === "left") return state;
  if (event.type === "leave") return { step: "left" };
  switch (state.step) {
    case "choosing":
      if (event.type === "sizes") return { ...state, sizes: event.sizes };
      if (event.type === "fees") return { ...state, fees: event.fees };
      if (event.type !== "pool_chosen") return state;
      return event.isBackedUp
        ? { step: "preparing", pool: event.pool }
        : { step: "backup", next: { step: "preparing", pool: event.pool }, needsFile: false };
    case "backup":
      return event.type === "backup_proven" ? state.next : state;
    case "opening":
      return nextOpening(state, event);
    case "preparing":
      if (event.type === "failed") return { step: "failed", problem: event.problem };
      if (event.type !== "prepared") return state;
      return beginPayment(event.ticket);
    case "failed":
      if (event.type !== "retry") return state;
      return state.retry ?? { step: "choosing" };
    case "paying":
      return nextPaying(state, event);
  }
}

/** A note is paid only after a backup that brings it back. A proven one may be of the seed only. */
function nextOpening(state: Extract<DepositState, { step: "opening" }>, event: DepositEvent): DepositState {
  if (event.type === "failed") {
    const { problem } = event;
    return { step: "failed", problem, ...!UNPAYABLE.has(problem.code) && { retry: state } };
  }
  if (event.type !== "opened") return state;
  const { ticket, backup, wasRequested } = event.opened;
  if (backup !== "proven") return { step: "backup", next: state, needsFile: backup === "file_missing" };
  return wasRequested ? resumeDeposit(ticket) : { ...beginPayment(ticket), isUnread: true };
}

/** The pool's log decides: its events end the deposit, whatever the wallet reports. */
function nextPaying(state: PayingState, event: DepositEvent): DepositState {
  switch (event.type) {
    case "seen":
      return { step: "done", ticket: state.ticket, leafIndex: event.leafIndex };
    case "refused":
      return onRefusal(state, event);
    case "chain_time":
      return onChainTime({ ...state, offline: false, isUnread: false }, event.now);
    case "unreachable":
      return { ...state, offline: true };
    case "failed":
      return onFailure(state, event);
    default: {
      if (event.type === "source_chosen" && state.isUnread) return state;
      const wallet = nextWallet(state.wallet, event, state.attempt + 1);
      if (wallet === state.wallet) return state;
      const isNewAttempt = wallet.at === "proving" && state.wallet.at !== "proving";
      return { ...state, wallet, ...isNewAttempt && { attempt: state.attempt + 1, refused: undefined } };
    }
  }
}

function nextWallet(wallet: WalletStep, event: DepositEvent, attempt: number): WalletStep {
  switch (event.type) {
    case "source_chosen": // a wallet that may still pay is not replaced
      return (wallet.at === "none" && !wallet.question) || wallet.at === "ready" || wallet.at === "connecting"
        ? { at: "connecting", source: event.source }
        : wallet;
    case "link":
      return wallet.at === "connecting" ? { ...wallet, link: event.link } : wallet;
    case "connected":
      return wallet.at === "connecting" ? { at: "ready", payer: event.payer } : wallet;
    case "wallet_left":
      return wallet.at === "ready" || wallet.at === "connecting" ? { at: "none" } : wallet;
    case "pay":
      return wallet.at === "ready" ? { at: "proving", payer: wallet.payer, attempt, fraction: 0 } : wallet;
    case "not_paid": // only the user knows; a wallet is asked again when the request has expired
      return wallet.at === "waiting" && (wallet.payer === undefined || wallet.isLong)
        ? { at: "none", question: wallet.question }
        : wallet;
    case "long_wait":
      return wallet.at === "waiting" ? { ...wallet, isLong: true } : wallet;
    case "progress":
      return wallet.at === "proving" ? { ...wallet, fraction: event.fraction } : wallet;
    case "proved":
      if (wallet.at !== "proving") return wallet;
      return { at: "asking", payer: wallet.payer, message: event.message, question: event.question };
    case "answered":
      if (wallet.at !== "asking") return wallet;
      return { at: "waiting", payer: wallet.payer, question: wallet.question };
    case "returned":
      if (wallet.at !== "returning") return wallet;
      if (wallet.payer === undefined) return { at: "none" };
      if (!event.isSeen) return { at: "ready", payer: wallet.payer, notice: "unreturned" };
      return { at: "ready", payer: wallet.payer, ...wallet.isOvertaken && { notice: "overtaken" as const } };
    default:
      return wallet;
  }
}

/** Only a refusal of the open request allows a new one. Anyone can send a payment that the pool refuses. */
function onRefusal(
  state: PayingState,
  { reason, isOwn, isOvertaken }: Extract<DepositEvent, { type: "refused" }>,
): DepositState {
  const { wallet } = state;
  if (!isOwn || (wallet.at !== "asking" && wallet.at !== "waiting")) return { ...state, refused: reason };
  return { ...state, refused: reason, wallet: { at: "returning", isOvertaken, payer: wallet.payer } };
}

/** A request ends when it has expired by chain time, and the log up to that time contains no payment. */
function onChainTime(state: PayingState, now: number | undefined): PayingState {
  const { wallet } = state;
  if (now === undefined || !("question" in wallet) || wallet.question === undefined) return state;
  const { validUntil = now + QUESTION_SECONDS } = wallet.question;
  if (now <= validUntil + EXPIRY_GRACE_SECONDS) {
    return validUntil === wallet.question.validUntil
      ? state
      : { ...state, wallet: { ...wallet, question: { validUntil } } as WalletStep };
  }
  if (!("payer" in wallet) || wallet.payer === undefined) return { ...state, wallet: { at: "none" } };
  const notice = wallet.at === "waiting" ? wallet.notice ?? "expired" : "expired";
  return { ...state, wallet: { at: "ready", payer: wallet.payer, notice } };
}

function onFailure(
  state: PayingState,
  { problem, work }: Extract<DepositEvent, { type: "failed" }>,
): DepositState {
  const { wallet } = state;
  if (work === "watch") return { step: "failed", problem, retry: { ...state, wallet: interrupted(wallet) } };
  switch (wallet.at) {
    case "connecting":
      return { ...state, wallet: { at: "none", problem } };
    case "proving":
      return { ...state, wallet: { at: "ready", payer: wallet.payer, problem } };
    case "asking": { // a wallet that declines or does not answer may still have sent the payment
      const notice = problem.code === "wallet_declined" ? "declined" : "unanswered";
      return { ...state, wallet: { at: "waiting", payer: wallet.payer, question: wallet.question, notice } };
    }
    case "returning":
      return {
        ...state,
        wallet: wallet.payer ? { at: "ready", payer: wallet.payer, problem } : { at: "none" },
      };
    default:
      return state;
  }
}

/** Returns the step from which a retry continues. A wallet that was asked may still pay. */
function interrupted(wallet: WalletStep): WalletStep {
  switch (wallet.at) {
    case "connecting":
      return { at: "none" };
    case "proving":
      return { at: "ready", payer: wallet.payer };
    case "asking":
      return { at: "waiting", payer: wallet.payer, question: wallet.question, notice: "unanswered" };
    default:
      return wallet;
  }
}
