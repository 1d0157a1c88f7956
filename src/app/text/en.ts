/** Every word that the app shows, in English. The screens read the words of the shown language from texts.ts. */
import { NATIVE_SYMBOL } from "../../core/protocol/units.ts";
import type { PlaceFault } from "../ports.ts";
import type { Language } from "./languages.ts";
import { depositEn, reportEn, withdrawEn } from "./money_en.ts";
import { passphraseEn } from "./passphrase_en.ts";
import { problemsEn } from "./problems_en.ts";
import { settleEn } from "./settle_en.ts";

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export const en = {
  language: "en" as Language,
  app: {
    name: "tonado",
    skip: "Skip to the content",
    lock: "Lock",
    back: "Back",
    cancel: "Stop",
    retry: "Try again",
    done: "Done",
    continue: "Continue",
    copy: "Copy",
    copied: "Copied",
    close: "Close",
    otherCode: "This is not the right QR code. Show the camera the one named above.",
    offline: "You are offline. You can still see your notes, back them up and lock the app.",
    menu: { notes: "Notes", report: "Report", settings: "Settings" },
    problem: "Problem",
    warning: "Please read",
    good: "Good",
    failed: {
      title: "This screen cannot be shown",
      reload: "Load the page again",
      save: "Save the encrypted notes",
      defaults: "Use default settings",
      defaultsHint: "Theme, language, lock and connections become as at the first visit. Your notes stay.",
    },
    percent: (fraction: number) => `${Math.round(fraction * 100)} %`,
    /** A part of an amount, to a hundredth of a percent. */
    share: (fraction: number) => `${Math.round(fraction * 10_000) / 100} %`,
    /** An exact amount in plain digits, possibly with its unit, as the language writes it. */
    decimal: (amount: string) => amount.replace(/ \S+$/, (unit) => unit.toUpperCase()),
    amount: (amount: string, asset: string) =>
      `${amount} ${asset === "native" ? NATIVE_SYMBOL : asset.toUpperCase()}`,
    age(seconds: number) {
      if (seconds < 120) return "just now";
      if (seconds < 7_200) return `${Math.round(seconds / 60)} minutes ago`;
      if (seconds < 172_800) return `${Math.round(seconds / 3_600)} hours ago`;
      return `${Math.round(seconds / 86_400)} days ago`;
    },
  },
  place: {
    title: "This page cannot keep notes",
    insecure_origin:
      "This page did not arrive over a secure connection, so it cannot keep notes safe. Open it with https, or run tonado app on your own computer.",
    path_gateway:
      "This gateway shows many websites under one address, and each of them could read your notes. Open the app at its own address.",
    framed: "Another website shows this page inside itself. Open the app in a tab of its own.",
    storage_denied:
      "This browser gives the page no access to its storage. Close other tabs of this app, and load the page again. If that does not help, leave private browsing, or allow storage.",
    open: "Open it there",
  } satisfies Record<PlaceFault | "title" | "open", string>,
  start: {
    title: "Private money on TON",
    lead:
      "Pay in from one wallet, and take the money out to another. The blockchain does not show that the two belong together.",
    steps: [
      "You get a secret note for the money that you pay in.",
      "You wait. Others pay in the same amount, and you disappear among them.",
      "You take the money out to a new address whenever you like.",
    ],
    create: "Start",
    restore: "I have a backup",
    report: "Check a report",
    trust:
      "Your notes stay in this browser and in your backup. There is no account, and nobody can restore them for you.",
    first:
      "On your first visit, you cannot check that this website is honest. For large sums, run tonado app on your own computer.",
  },
  passphrase: passphraseEn,
  backup: {
    title: "Keep a backup",
    lead:
      "If you lose this device and have no backup, the money is gone. One backup covers every note that you make later.",
    file: "Save a file",
    fileHint: "Put it where you keep important files: another device, a drive, a password manager.",
    paper: "Print a paper",
    paperHint: "A page with a QR code: your recovery code, encrypted with your passphrase.",
    madeFile: "Now prove that you have it",
    madeFileLead: "Choose the file that you just saved. We open it to be sure that it works.",
    choose: "Choose the saved file",
    madePaper: "Now prove that it can be read",
    madePaperLead: "Hold the printed QR code in front of the camera, or type the text below it.",
    scan: "Scan the paper",
    code: "Text below the QR code",
    useCode: "Use this code",
    again: "Make it again",
    readTitle: "Repeat your passphrase",
    readLead: "A backup is only good if you can open it. Type the passphrase as you would on another device.",
    verify: "Open the backup",
    verifying: "Opening the backup …",
    provenTitle: "Your backup works",
    provenLead: "The app opened your backup. It brings back every note that you make here, now and later.",
    printTitle: "tonado backup",
    printLines: [
      "This code holds your recovery code, locked with your passphrase. It brings back every note, later ones as well.",
      "Open the app, choose “I have a backup”, and scan the code.",
      "Keep the passphrase somewhere else.",
    ],
    needed: "Make a backup first. You can pay after the app has read it back once.",
    neededFile:
      "This note is in no backup yet, and a paper backup cannot contain it. Save a backup file and open it here; then you can pay.",
  },
  restore: {
    title: "Bring your notes back",
    lead: "Choose a backup file, or enter your paper's code, a recovery code or a note.",
    file: "Choose a backup file",
    scan: "Scan a paper",
    text: "Recovery code or note",
    useText: "Continue with this code",
    passphraseFile: "Passphrase of the backup",
    passphraseLead: "The passphrase that you chose when you made the backup.",
    open: "Open",
    checking: "Reading the code …",
    opening: "Opening …",
    doneTitle: (added: number, known: number): string =>
      added > 0 ? "Your notes are back" : known > 0 ? "Nothing was missing" : "Your recovery code is back",
    done: (added: number, known: number) =>
      added === 0 && known === 0
        ? "The backup holds your recovery code and no notes. The app now looks for your deposits."
        : [
          added > 0 && `${plural(added, "note was", "notes were")} added.`,
          known > 0 && `${plural(known, "note was", "notes were")} here already.`,
        ].filter(Boolean).join(" "),
    otherNetwork: (count: number) =>
      `${plural(count, "note is", "notes are")} of another network and cannot be used here.`,
    toNotes: "Show my notes",
  },
  notes: {
    title: "Your notes",
    empty: "No notes yet",
    emptyLead: "A note stands for money that you paid in. Make a deposit to get the first one.",
    deposit: "Deposit",
    withdraw: "Withdraw",
    resume: "Continue",
    follow: "Follow",
    report: "Report",
    check: "Check the notes",
    checkLead:
      "The relayers and the endpoint for withdrawals will see that you are here. After a deposit, wait an hour before you check.",
    checking: (seen: number) => `Looking for your notes: ${plural(seen, "entry", "entries")} read`,
    recovered: (count: number) => `${plural(count, "note was", "notes were")} found with your recovery code.`,
    unread: (pools: readonly string[]) =>
      `${pools.length === 1 ? pools[0] : "Several pools"} could not be read.`,
    state: {
      created: "Not paid",
      depositing: "Waiting for payment",
      deposited: "Paid in",
      checking: "Paid in, checking …",
      unknown: "Paid in; we cannot tell now whether it is ready",
      waiting: "Paid in, not ready yet",
      withdrawing: "On its way out",
      withdrawn: "Withdrawn",
    },
    waitingLead: "a relayer adds it to the pool's list within about 20 minutes; you have nothing to do",
    overdueLead:
      "no relayer has added it to the pool's list yet; you can do it with a wallet that has a little GRAM",
    unknownLead: "no server answers; nothing to do, the app looks again every minute",
    withdrawingLead: "press Follow to see whether it arrived",
    made: (date: string) => `made on ${date}`,
    settle: "Settle it yourself",
    otherNetwork: (network: string) => `Of another network: ${network}`,
    paidAgain: (count: number) =>
      `Paid in ${
        count === 2
          ? "twice: you can withdraw it twice"
          : `${count} times: you can withdraw it ${count} times`
      }`,
    later: (count: number) =>
      `${count === 0 ? "nobody" : plural(count, "other", "others")} paid in after you`,
    backupNeeded: "Not backed up yet",
    backupNeededLead: "If this device breaks, the money is gone.",
    backupSoonLead: "The app asks for a backup before your first deposit. You can make it now.",
    backupNow: "Back up now",
    backupMissing: (count: number) => `${plural(count, "note is", "notes are")} in no backup`,
    backupMissingLead: "Save a backup file. A paper cannot bring these notes back.",
    notInBackup: "in no backup",
    sharedNullifier:
      "shares its secret with another note: only one of the two can be withdrawn, so do not pay for both",
    backupProven: "Backed up",
    backupProvenLead: "Your backup was opened and brings back every note.",
    newVersion: "This website offers a new version of the app",
    newVersionLead:
      "The version that you use stays until you accept the new one in Settings. It differs in this:",
    toSettings: "Open Settings",
    tipTitle: "Stay hidden",
    tips: [
      "Wait before you withdraw: at least a day, and ten later deposits.",
      "Withdraw to an address that nobody knows.",
      "Do not send the money back to the wallet that paid it in.",
    ],
  },
  deposit: depositEn,
  withdraw: withdrawEn,
  settle: settleEn,
  report: reportEn,
  versions: {
    relayers: "Relayers",
    connect: "Servers that the page may contact",
    bridges: "Bridges of wallets",
    removed: "Now:",
    added: "New:",
    settingsLead:
      "These settings are not on the release page, and not part of the files' hash. Accept them only if you trust each new server and pool. If you did not expect a change, ask the website's operator.",
    filesLead:
      "Files have changed. Compare the hash of the new files in Settings with the one on the project's release page.",
    sameFiles: "The files are the same.",
    files: (count: number) => `${plural(count, "file", "files")} changed`,
  },
  settings: {
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
  },
  problems: problemsEn,
};

export type Texts = typeof en;
