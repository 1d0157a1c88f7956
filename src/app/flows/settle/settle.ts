/** A depositor settles the deposits that wait in a version 2 pool. Only the pool's log proves a settlement. */
import { Problem, type ProblemCode } from "../../../core/errors/problem.ts";
import type { Payer, PayerSource, PayMessage } from "../../ports.ts";
import { EXPIRY_GRACE_SECONDS } from "../deposit/deposit.ts";
import type { Machine } from "../machine.ts";
import type {
  Offer,
  SettleEvent,
  SettleNotice,
  SettleProgress,
  SettleState,
  SettleWallet,
  SettlingState,
} from "./settle_state.ts";

type Works = ReturnType<Machine<SettleState, SettleEvent>["works"]>;

/** The wallet sends nothing after these problems. */
const UNSENT: ReadonlySet<ProblemCode> = new Set(["insufficient_funds", "wrong_network"]);

export interface SettleServices {
  /** Reads the pool's whole log. Returns undefined if the note's deposit is settled. */
  read(
    id: string,
    options: { readonly signal: AbortSignal; readonly onProgress: (transactions: number) => void },
  ): Promise<Offer | undefined>;
  connect(source: PayerSource, onLink: (link: string) => void, signal: AbortSignal): Promise<Payer>;
  /** Proves the settlement for this wallet. Returns undefined if another one came first. */
  build(
    offer: Offer,
    payer: Payer,
    options: { readonly signal: AbortSignal; readonly onProgress: (progress: SettleProgress) => void },
  ): Promise<{ readonly message: PayMessage; readonly validUntil: number } | undefined>;
  /** Reports the settlements in the pool's log since the offer, and those of the wallet that the pool refused. */
  watch(
    signal: AbortSignal,
    send: (
      event: Extract<SettleEvent, { type: "settled" | "refused" | "chain_time" | "unreachable" }>,
    ) => void,
  ): Promise<void>;
}

/** Also after a reload: the log says what was settled meanwhile. */
export function startSettle(id: string): SettlingState {
  return { step: "settling", id, seen: 0, wallet: { at: "none" }, attempt: 0 };
}

export function settleMachine(services: SettleServices): Machine<SettleState, SettleEvent> {
  return {
    next: nextSettle,
    failed: (problem, work) => ({ type: "failed", problem, work: work.split(" ")[0] }),
    works(state) {
      if (state.step !== "settling") return {};
      const { id, offer, wallet, attempt } = state;
      return {
        ...(offer ? watchWork(services, offer) : readWork(services, id, attempt)),
        ...sessionWork(wallet),
        ...connectWork(services, wallet),
        ...(offer ? settlementWork(services, offer, wallet, attempt) : {}),
      };
    },
  };
}

function readWork(services: SettleServices, id: string, attempt: number): Works {
  return {
    [`read ${attempt}`]: async (signal, send) => {
      const onProgress = (transactions: number) => send({ type: "seen", transactions });
      const offer = await services.read(id, { signal, onProgress });
      send(offer ? { type: "offered", offer } : { type: "found_settled" });
    },
  };
}

function watchWork(services: SettleServices, { first }: Offer): Works {
  return { [`watch ${first}`]: (signal, send) => services.watch(signal, send) };
}

/** Disconnects the wallet when the settlement ends or is left. */
function sessionWork(wallet: SettleWallet): Works {
  const payer = "payer" in wallet ? wallet.payer : undefined;
  if (payer === undefined) return {};
  return {
    session: async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      await payer.disconnect();
    },
  };
}

function connectWork(services: SettleServices, wallet: SettleWallet): Works {
  if (wallet.at !== "connecting") return {};
  return {
    [`connect ${wallet.source.id}`]: async (signal, send) => {
      const onLink = (link: string) => send({ type: "link", link });
      send({ type: "connected", payer: await services.connect(wallet.source, onLink, signal) });
    },
  };
}

function settlementWork(
  services: SettleServices,
  offer: Offer,
  wallet: SettleWallet,
  attempt: number,
): Works {
  if (wallet.at === "proving") {
    return {
      [`build ${attempt}`]: async (signal, send) => {
        const onProgress = (progress: SettleProgress) => send({ type: "progress", progress });
        const built = await services.build(offer, wallet.payer, { signal, onProgress });
        send(built ? { type: "proved", ...built } : { type: "overtaken" });
      },
    };
  }
  if (wallet.at === "asking") {
    const { payer, message, validUntil } = wallet;
    return {
      [`ask ${attempt}`]: async (signal, send) => {
        await payer.pay(message, { validUntil, signal });
        send({ type: "answered" });
      },
    };
  }
  return {};
}

export function nextSettle(state: SettleState, event: SettleEvent): SettleState {
  if (state.step === "done") return state;
  if (state.step === "failed") return event.type === "retry" ? startSettle(state.id) : state;
  switch (event.type) {
    case "seen":
      return { ...state, seen: event.transactions };
    case "offered":
      return { ...state, offer: event.offer };
    case "found_settled":
      return { step: "done", by: "other", mayStillSend: false };
    case "overtaken":
      return readAgain(state, "overtaken");
    case "settled":
      return onSettlement(state, event);
    case "refused":
      return onRefusal(state, event.isOvertaken);
    case "chain_time":
      return onChainTime({ ...state, offline: false }, event.now);
    case "unreachable":
      return { ...state, offline: true };
    case "failed":
      return onFailure(state, event);
    default:
      return onWallet(state, event);
  }
}

/** Keeps a wallet that is connected, or about to be. */
function readAgain(state: SettlingState, notice: SettleNotice): SettlingState {
  const { wallet, attempt } = state;
  return {
    ...state,
    offer: undefined,
    seen: 0,
    attempt: attempt + 1,
    notice,
    wallet: "payer" in wallet ? { at: "ready", payer: wallet.payer } : wallet,
  };
}

const wasAsked = ({ at }: SettleWallet) => at === "asking" || at === "waiting";

function onSettlement(
  state: SettlingState,
  { end, isOwn }: Extract<SettleEvent, { type: "settled" }>,
): SettleState {
  const { offer, wallet } = state;
  if (offer === undefined || end <= offer.first) return state;
  if (end <= offer.leafIndex) return readAgain(state, isOwn ? "next" : "overtaken");
  return { step: "done", by: isOwn ? "user" : "other", mayStillSend: !isOwn && wasAsked(wallet) };
}

function onRefusal(state: SettlingState, isOvertaken: boolean): SettleState {
  const { wallet } = state;
  if (wallet.at !== "asking" && wallet.at !== "waiting") return state;
  if (isOvertaken) return readAgain(state, "overtaken");
  const problem = new Problem("contract_refused");
  return { ...state, wallet: { at: "ready", payer: wallet.payer, problem } };
}

/** A request ends when it has expired by chain time, and the log up to that time contains no settlement. */
function onChainTime(state: SettlingState, now: number | undefined): SettlingState {
  const { wallet } = state;
  if (now === undefined || (wallet.at !== "asking" && wallet.at !== "waiting")) return state;
  if (now <= wallet.validUntil + EXPIRY_GRACE_SECONDS) return state;
  return { ...state, notice: "expired", wallet: { at: "ready", payer: wallet.payer } };
}

function onFailure(
  state: SettlingState,
  { problem, work }: Extract<SettleEvent, { type: "failed" }>,
): SettleState {
  const { wallet } = state;
  if (work === "read" || work === "watch") return { step: "failed", id: state.id, problem };
  switch (wallet.at) {
    case "connecting":
      return { ...state, wallet: { at: "none", problem } };
    case "proving":
      return { ...state, wallet: { at: "ready", payer: wallet.payer, problem } };
    case "asking": {
      const { payer, validUntil } = wallet;
      // A second settlement costs only the fees of a refused message, so a decline is believed.
      if (problem.code === "wallet_declined") {
        return { ...state, notice: "declined", wallet: { at: "ready", payer } };
      }
      if (UNSENT.has(problem.code)) return { ...state, wallet: { at: "ready", payer, problem } };
      return { ...state, notice: "unanswered", wallet: { at: "waiting", payer, validUntil } };
    }
    default:
      return state;
  }
}

type WalletEvent = Extract<
  SettleEvent,
  {
    type:
      | "source_chosen"
      | "link"
      | "connected"
      | "wallet_left"
      | "settle"
      | "progress"
      | "proved"
      | "answered"
      | "retry";
  }
>;

function onWallet(state: SettlingState, event: WalletEvent): SettlingState {
  const wallet = nextWallet(state.wallet, event);
  if (wallet === state.wallet) return state;
  if (event.type !== "settle") return { ...state, wallet };
  return state.offer ? { ...state, wallet, attempt: state.attempt + 1, notice: undefined } : state;
}

function nextWallet(wallet: SettleWallet, event: WalletEvent): SettleWallet {
  switch (event.type) {
    case "source_chosen":
      return wallet.at === "none" ? { at: "connecting", source: event.source } : wallet;
    case "link":
      return wallet.at === "connecting" ? { ...wallet, link: event.link } : wallet;
    case "connected":
      return wallet.at === "connecting" ? { at: "ready", payer: event.payer } : wallet;
    case "wallet_left": // a wallet that may still send is not left; a proof can be stopped
      return wasAsked(wallet)
        ? wallet
        : wallet.at === "proving"
        ? { at: "ready", payer: wallet.payer }
        : { at: "none" };
    case "settle":
      return wallet.at === "ready"
        ? { at: "proving", payer: wallet.payer, progress: { stage: "keys" } }
        : wallet;
    case "progress":
      return wallet.at === "proving" ? { ...wallet, progress: event.progress } : wallet;
    case "proved":
      if (wallet.at !== "proving") return wallet;
      return { at: "asking", payer: wallet.payer, message: event.message, validUntil: event.validUntil };
    case "answered":
      if (wallet.at !== "asking") return wallet;
      return { at: "waiting", payer: wallet.payer, validUntil: wallet.validUntil };
    case "retry":
      return wallet;
  }
}
