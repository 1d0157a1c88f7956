/** Every word that the app shows, in English. The screens read the words of the shown language from texts.ts. */
import type { PlaceFault } from "../ports.ts";
import type { Language } from "./languages.ts";
import { depositEn, reportEn, withdrawEn } from "./money_en.ts";
import { problemsEn } from "./problems_en.ts";
import { settingsEn, settleEn, versionsEn } from "./screens_en.ts";

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
    /** An exact amount in plain digits, possibly with its unit, as the language writes it. */
    decimal: (amount: string) => amount.replace(/ \S+$/, (unit) => unit.toUpperCase()),
    amount: (amount: string, asset: string) =>
      `${amount} ${asset === "native" ? "TON" : asset.toUpperCase()}`,
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
  passphrase: {
    newTitle: "Choose a passphrase",
    newLead:
      "It locks your notes on this device and in every backup. Five or six random words are good. Nobody can reset it: if you forget it, your money is lost.",
    label: "Passphrase",
    repeat: "Repeat passphrase",
    show: "Show what I type",
    capsLock: "Caps Lock is on.",
    draw: "Draw six words for me",
    drawnTitle: "Your six words",
    drawnLead: "They were drawn at random. Write them down on paper, in this order.",
    drawnLight:
      "This device has too little memory to protect a passphrase that you choose yourself. Six drawn words are strong enough. Write them down on paper, in this order.",
    drawnKeep: "Type them later with a space between them. The app cannot show them again.",
    drawnDone: "I have written them down",
    drawAgain: "Draw other words",
    drawing: "Drawing …",
    create: "Create my store",
    creating: "Encrypting takes a second …",
    too_short: "Use at least 12 characters. Several words are easy to remember.",
    not_enterable: "Leave out tabs and damaged characters. You could not type them again.",
    repetitive: "Use more different characters.",
    guessable: "Others would guess this soon. Use several words that do not belong together.",
    differs: "The two passphrases are not the same. Type them again.",
    openTitle: "Welcome back",
    openLead: "Your notes are locked.",
    replaced:
      "Your notes were changed in another tab. Unlock them again here, with the new passphrase if it was changed.",
    open: "Unlock",
    opening: "Unlocking …",
    passkey: "Use this device's passkey",
    looking: "Looking for your notes …",
    saveUnreadable: "Save the unreadable notes",
    saveUnreadableHint: "Another program may still read the file. Save it, then restore a backup.",
    forgotten: "I forgot it: use a backup",
    forgottenLead:
      "Nobody can look up or reset your passphrase. To get your notes back, use your recovery code, or a backup whose passphrase you know. Save the locked notes first, in case you remember the passphrase later.",
    saveLocked: "Save the locked notes",
    setAside: "Restore a backup",
    setAsideHint:
      "First check that your browser saved the file. This button removes the notes from this browser.",
  },
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
      "This asks the relayers and the endpoint for withdrawals. Wait an hour after a deposit, because they see when you are here.",
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
      "no relayer has added it to the pool's list yet; you can do it with a wallet that has a little TON",
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
  versions: versionsEn,
  settings: settingsEn,
  problems: problemsEn,
};

export type Texts = typeof en;
