/** The words of the screen where a depositor settles. */
import { formatNative } from "../../core/protocol/units.ts";
import type { SettleNotice } from "../flows/settle/settle_state.ts";

/** Nano in 0.0001 GRAM, the unit of the screen. */
const STEP_NANO = 100_000n;

/** Rounds up, so that no fee reads as nothing. */
function grams(nano: bigint): string {
  const rounded = (nano + STEP_NANO - 1n) / STEP_NANO * STEP_NANO;
  return formatNative(rounded < 0n ? 0n : rounded);
}
const deposits = (count: number) => count === 1 ? "1 deposit" : `${count} deposits`;

export const settleEn = {
  title: "Settle it yourself",
  lead:
    "Your deposit is safe in the pool. It can be withdrawn once somebody has settled it, that is, added it to the deposits that the pool pays out. Usually a relayer does; you can, too.",
  reading: (seen: number) =>
    seen === 0
      ? "Reading the pool …"
      : `Reading the pool: ${seen} transaction${seen === 1 ? "" : "s"} so far`,
  settles: "Settles",
  deposits,
  value: "You send",
  cost: "Fees",
  reward: "Reward",
  back: "You get back",
  about: (nano: bigint) => `about ${grams(nano)}`,
  atMost: (nano: bigint) => `at most ${grams(nano)}`,
  exactly: grams,
  rounds: (rounds: number) =>
    `The oldest deposits come first, so yours needs ${rounds} settlements, one after the other. Each has its own price.`,
  publicTitle: "Everyone can see which wallet settles",
  publicLead: (count: number, rounds: number) =>
    `${
      rounds > 1
        ? "The blockchain shows which wallet settled which deposits. After the last settlement, yours is among them."
        : count === 1
        ? "This settlement has only your deposit, so everyone can see that this wallet settled it."
        : `The blockchain shows that this wallet settled these ${count} deposits, and one of them is yours.`
    } Use the wallet that paid in, or one that has no connection to the address of your withdrawal.`,
  noWallet:
    "No wallet can be reached from this page. Open the app in the browser of your wallet, or run tonado settle.",
  settle: (name: string) => `Settle with ${name}`,
  stage: {
    keys: "Loading what the proof needs",
    proof: "Making the proof for this wallet",
    pause: "Waiting up to 30 seconds, until the pool accepts another settlement",
  },
  notSent: "Nothing was sent yet.",
  waitingLead: "You can close this page. Notes shows later whether the deposit was settled.",
  notice: {
    declined: "The wallet says that you declined. You can ask it again.",
    expired: "The wallet's request has expired, and nothing was settled. You can try again.",
    unanswered: "The wallet gave no clear answer. We watch the pool for up to four minutes.",
    overtaken:
      "Someone else settled first. If your wallet has sent something, it comes back, less fees. Your deposit still waits, so here is the next settlement.",
    next: "Your settlement was accepted. Your deposit needs another one.",
  } satisfies Record<SettleNotice, string> as Readonly<Record<SettleNotice, string>>,
  doneTitle: "Your deposit is settled",
  done: {
    user:
      "Your settlement was accepted. The rest of what your wallet sent is on its way back, with the reward.",
    other: "Someone else settled it. You have nothing to do.",
  },
  mayStillSend:
    "Decline the request that your wallet still shows. If you confirm it, the pool returns the money, less fees.",
  doneWait: "The note can be withdrawn now. Waiting longer hides you better.",
  failedTitle: "The settlement stopped",
  failedLead: "Your deposit is safe. Nothing is lost if you leave this page.",
};
