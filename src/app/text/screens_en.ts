/** The words of the screens where a depositor settles and changes settings. */
import { formatAmount } from "../../core/protocol/units.ts";
import type { SettleNotice } from "../flows/settle/settle_state.ts";

/** Nano in 0.0001 TON, the unit of the screen. */
const STEP_NANO = 100_000n;

/** Rounds up, so that no fee reads as nothing. */
function tons(nano: bigint): string {
  const rounded = (nano + STEP_NANO - 1n) / STEP_NANO * STEP_NANO;
  return formatAmount(rounded < 0n ? 0n : rounded, { asset: "native" });
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
  about: (nano: bigint) => `about ${tons(nano)}`,
  atMost: (nano: bigint) => `at most ${tons(nano)}`,
  exactly: tons,
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

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export const versionsEn = {
  relayers: "Relayers",
  connect: "Servers that the page may contact",
  bridges: "Bridges of wallets",
  removed: "Now:",
  added: "New:",
  settingsLead:
    "No release page lists these settings, and the hash of the files does not cover them. Accept them only if you trust each new server and pool; ask the website's operator if you did not expect a change.",
  filesLead:
    "Files have changed. Compare the hash of the new files in Settings with the one on the project's release page.",
  sameFiles: "The files are the same.",
  files: (count: number) => `${plural(count, "file", "files")} changed`,
};

export const settingsEn = {
  title: "Settings",
  connections: "Connections",
  connectionsLead:
    "A server that sees your deposit and your withdrawal can connect the two. Use a different server and a different network address for each.",
  depositEndpoint: "Endpoint for deposits",
  withdrawalEndpoint: "Endpoint for withdrawals",
  relayers: "Relayers, one per line",
  shared: "Both use the same server now, so it could connect a deposit with its withdrawal.",
  fault: {
    invalid: "This is not a web address.",
    wrong_api: "This is another API. Enter a TON Center v2 endpoint, whose path is /api/v2/jsonRPC.",
    wrong_number: "Enter at most 20 addresses, each on its own line.",
    blocked: (allowed: string) =>
      `This page may connect only to ${allowed}. To use another server, start tonado app with its address, or ask this website's operator.`,
  },
  blocked: (addresses: string) =>
    `Saved earlier and not used: ${addresses}. This page may not connect there. It uses the addresses below.`,
  save: "Save connections",
  useServed: "Use this website's servers",
  saved: "Saved",
  appearance: "Appearance",
  theme: "Colours",
  themes: { system: "Like the device", light: "Light", dark: "Dark" },
  language: "Language",
  languageOfBrowser: "As in the browser",
  autoLock: "Automatic lock",
  lock: "Lock after",
  minutes: (count: number) => plural(count, "minute", "minutes"),
  backup: "Backup",
  backupMake: "Make a backup",
  restore: "Restore a backup",
  passphrase: "Passphrase",
  passphraseChange: "Change the passphrase",
  passphraseCurrent: "Current passphrase",
  passphraseNew: "New passphrase",
  passphraseLead:
    "Afterwards the app locks, and you unlock it with the new one. Backups that you made before still open with the old one, so make a new backup.",
  passkey: "Passkey",
  passkeyLead: "Unlock with this device's fingerprint or PIN. Your passphrase always works as well.",
  passkeyAdd: "Set up a passkey",
  passkeyRemove: "Remove the passkey",
  passkeyNone: "This browser cannot unlock your notes with a passkey.",
  erase: "Erase this store",
  eraseLead: "Removes every note from this browser. Without a backup the money is lost.",
  eraseWord: "ERASE",
  eraseConfirm: "Type ERASE to confirm",
  eraseDo: "Erase everything here",
  version: "Version",
  running: "Hash of its files",
  runningSettings: "Hash of its settings",
  waiting: "A new version is ready. The hashes of its files and of its settings:",
  accept: "Use the new version",
};
