/** The words of the screens that move money, and of those that report it. */
import type { CheckResult } from "../../core/errors/check_result.ts";
import type { LinkabilityCode } from "../../client/withdrawal/warnings/linkability_warnings.ts";

/** What to do about a payment that the pool returned, by its reason. */
const returnReasons: Readonly<Record<string, string>> = {
  ERR_WRONG_DENOMINATION: "Its amount was not exact. Pay exactly the amount that is shown.",
  ERR_DUPLICATE_COMMITMENT: "This note is already paid.",
  ERR_STALE_DEPOSIT: "Another deposit came first. Try again.",
  ERR_POOL_FULL: "The pool is full. Choose another amount.",
  ERR_PAUSED: "The pool is paused. Pay when it accepts deposits again.",
  ERR_QUEUE_FULL: "Too many deposits wait to be settled. Pay later.",
};

/** Why a relayer refused a withdrawal, by the code of its answer. Other codes are shown themselves. */
const refusals: Readonly<Record<string, string>> = {
  fee_below_floor: "it now asks for a higher fee",
  fee_below_cost: "the fee does not cover its costs",
  fee_min_missing: "it has no price for this pool",
  relayer_balance_low: "its wallet has too little money",
  pool_retired: "it no longer serves this pool",
  unknown_pool: "it does not serve this pool",
  stale_root: "the proof is too old",
  unknown_root: "the proof is too old",
  payouts_blocked: "the pool cannot pay out at the moment",
  overloaded: "it is busy",
  verification_busy: "it is busy",
  rate_limited: "it is busy",
  hourly_cap_reached: "it is busy",
  retry_later: "it is busy",
  not_ready: "it is not ready",
};

export const depositEn = {
  steps: ["Amount", "Backup", "Pay", "Done"],
  title: "How much?",
  lead: "All deposits of one pool have the same amount. That is what hides you.",
  anyWallet: "From any wallet",
  connected: "With a connected wallet only",
  severalTries: "With a connected wallet only, perhaps in several tries",
  race: "If another deposit comes first, your money comes back, less fees, and you try again.",
  crowd: (deposits: number) =>
    deposits === 0
      ? "No deposit yet: you would be the first."
      : `${deposits} deposit${deposits === 1 ? "" : "s"} so far.`,
  askFees: "Show today's fee of a withdrawal",
  askFeesLead:
    "This asks the relayers, which then see that someone at your network address is about to deposit.",
  /** The fee has its unit. */
  fee: (fee: string, share: string) => `Fee of a withdrawal today: ${fee} (${share} of the amount).`,
  noRelayer:
    "This app has no relayer, so you can pay in, but not withdraw. Start tonado app with --relayer first, or withdraw later with the command tonado withdraw.",
  acceptNoRelayer: "I will withdraw in another way",
  retired: "Takes no new deposits",
  none: "There is no pool on this network.",
  preparing: "Checking the pool and making your note …",
  opening: "Checking the pool and your backup …",
  reading: "Checking whether this note was already paid …",
  payTitle: (amount: string) => `Pay exactly ${amount}`,
  formerTicker: "Older wallets show TON.",
  anyLead:
    "The link and the QR code contain the amount and the comment. If you send a different amount with the comment, the pool returns it to your wallet, less fees.",
  connectedLead: "Connect a wallet, press the button, and confirm the payment in the wallet.",
  raceLead:
    "Connect a wallet, press the button, and confirm the payment in the wallet. If another deposit comes first, the pool returns your money, less fees, and you try again.",
  exchange:
    "Do not pay from an exchange, unless it sends exactly this amount with the comment. Money that comes back goes to a wallet of the exchange, which may not credit you.",
  openWallet: "Open my wallet",
  byHand: "Send it by hand",
  qr: "Scan with a wallet on your phone",
  qrLabel: "Payment as a QR code",
  to: "Address",
  amount: "Amount in GRAM",
  comment: "Comment",
  commentHint:
    "Always add this comment, unencrypted. Without it, nothing is deposited: the pool returns a payment of exactly this amount, and keeps any other.",
  connect: "Connect a wallet",
  noWallet: "No wallet can be reached from this page. Choose an amount that any wallet can pay.",
  connecting: (name: string) => `Waiting for ${name} …`,
  connectLink: "Open the wallet",
  connectQr: "Scan this with the wallet's own scanner",
  pay: (name: string) => `Pay with ${name}`,
  change: "Use another wallet",
  proving: "Preparing the payment",
  asking: (name: string) => `Confirm it in ${name}`,
  askingLead: "You have three minutes.",
  waiting: "Waiting for the network",
  waitingLead: "You can close this page. Nothing is lost: we look again when you return.",
  longWait: "This takes longer than usual. When the request expires, you can send the wallet a new one.",
  notPaidLead:
    "If a wallet still shows a request for this payment, decline it before you pay in another way.",
  notPaid: "I have not paid yet",
  walletLater:
    "An earlier request may still be open. If you paid both, you would pay twice. You can connect a wallet when it expires, in about four minutes.",
  returning: "The pool sent the payment back. It is on its way to your wallet.",
  overtaken: "Another deposit came first. Your money is on its way back, less fees.",
  /** At most 99 %, because success is never certain. */
  chance: (chance: number) =>
    `Chance that the first attempt succeeds: ${Math.min(99, Math.round(chance * 100))} %.`,
  watching: "As soon as the payment arrives, this page moves on.",
  refused: (reason: string) =>
    `The pool returned a payment to the wallet that sent it, less fees. ${
      returnReasons[reason] ?? "Try again."
    }`,
  offline: "The network does not answer. We keep trying.",
  notice: {
    declined: "The wallet says that you declined. We watch the pool for up to four minutes to be sure.",
    expired: "The payment request has expired, and no payment arrived. You can try again.",
    overtaken: "Another deposit came first, and the pool returned your payment, less fees. Try again.",
    unreturned:
      "The pool refused your payment, but we have not seen it come back. Look into your wallet before you pay again.",
    unanswered: "The wallet gave no clear answer. We watch the pool for up to four minutes.",
  },
  doneTitle: "Paid in",
  doneLead: (amount: string) => `Your ${amount} arrived in the pool, and the note is in your store.`,
  doneWait: "Now wait. The longer you wait and the more others pay in, the better you are hidden.",
  doneQueue:
    "It must still be settled, that is, added to the list of deposits that the pool pays out. You have nothing to do: relayers settle within about 20 minutes. If none does within half an hour, you can settle it yourself under Notes.",
  toNotes: "Show my notes",
  failedTitle: "The deposit stopped",
  laterLead: "You find it under Notes and can go on at any time.",
  /** About servers that the user chose in Settings. */
  unused: {
    title: "Servers that you chose cannot be used here",
    lead:
      "This page may not connect to them and uses others instead. To use your own, start tonado app with their addresses, or ask this website's operator.",
    depositEndpoint: "Endpoint for deposits",
    withdrawalEndpoint: "Endpoint for withdrawals",
    relayers: "Relayers",
    none: "none",
    line: (name: string, used: string, own: string) => `${name}: ${used} instead of ${own}`,
  },
};

export const withdrawEn = {
  title: (amount: string) => `Withdraw ${amount}`,
  lead: "Where should the money go? Use an address that has never been used and that nobody knows.",
  recipient: "Your new address",
  recipientHint:
    "Make a new wallet in your wallet app and copy its address. Not the address of an exchange: it may not credit the money.",
  asked: (host: string) => `The app asks the endpoint ${host} whether this address was used before.`,
  scan: "Scan an address",
  sharedSettings: "Choose another server",
  sharedAccept: "Keep this one",
  next: "Continue",
  checking: "Looking at the address and asking relayers for their price …",
  reviewTitle: "Check before you withdraw",
  to: "To",
  note: "Note",
  youGet: "You get",
  fee: "Fee",
  relayers: "Who sends it",
  relayersLead:
    "A relayer sends the withdrawal for you, so that your new address needs no money and your old one stays out of it.",
  refused: "Not available",
  sameAddress:
    "An earlier withdrawal to this address was sent and may still arrive. You can choose another address when it has expired.",
  linksTitle: "What could give you away",
  nothing: "We see nothing that links this withdrawal to you.",
  accept: "I understand and want to go on",
  keeps: (fee: string, amount: string) => `The relayer keeps ${fee} of ${amount}.`,
  acceptFee: "I accept this fee",
  confirm: (amount: string) => `Withdraw ${amount}`,
  warning: {
    own_wallet: () => "This is the wallet that paid in. Everyone can see that both are yours.",
    self: () => "Your own wallet sends the withdrawal, so everyone sees both addresses together.",
    recipient_reused: () =>
      "You have sent another note to this address. Everyone can see that both belong to one person. Use a new address.",
    recipient_used: () =>
      "This address is not new. Anyone who knows its owner will know who gets this money.",
    recipient_unchecked: () => "We could not look this address up. Make sure that it is a wallet and new.",
    few_deposits: (count) =>
      `${
        count === 0 ? "Nobody" : `Only ${count}`
      } paid in after you. It is easy to guess that this is you. Waiting helps.`,
    soon: () => "You paid in less than a day ago. A withdrawal so soon suggests that it is you.",
    unknown_deposit: () =>
      "We do not know when this note was paid in. Go to Notes and press Check the notes first.",
    path_from_relayer: () => "The relayer learns which deposit is yours.",
    same_endpoint: () =>
      "Deposits and withdrawals go through the same server, which could connect them. You can use another one for withdrawals.",
    contract: () =>
      "This address is a contract, not a wallet that we know. Make sure that money can leave it again.",
    no_gas: () =>
      "This address has no GRAM, and the relayer sends too little with the tokens. You need GRAM there before you can move them.",
  } satisfies Record<LinkabilityCode, (count?: number) => string> as Readonly<
    Record<string, (count?: number) => string>
  >,
  runningTitle: "Withdrawing",
  stage: {
    tree: "Reading all deposits",
    keys: "Loading what the proof needs",
    proof: "Making the proof",
    sending: "Sending it to the relayer",
    confirming: "Waiting for the network",
  },
  keepOpen: "Keep this page open until a relayer has the withdrawal.",
  safeToClose: "You can close this page now. The relayer has the withdrawal.",
  notSent: "Nothing was sent yet.",
  doneTitle: "It has arrived",
  receipt: "Receipt",
  tx: "Transaction",
  notOurs:
    "The note was paid, but to another address. If that was not you, somebody has a copy of your notes.",
  failedTitle: "The withdrawal stopped",
  outOfSight: "We do not know yet whether it arrived.",
  mayArrive: "The withdrawal was sent to a relayer and may still arrive.",
  refusal: (code: string) => `The relayer refused: ${refusals[code] ?? code}.`,
  refusalLead:
    "It has the proof and could still send the withdrawal. You can try again only with the same address, through this relayer or another.",
  resume: "Follow it",
  failover: "Use another relayer",
  failoverLead:
    "The relayer did not finish in three minutes. Another one can send the withdrawal, to the same address: the pool pays the note only once. If no other relayer answers, start tonado app with --relayer and the address of another one.",
};

export type ReportCheck = "proof" | "pool" | "deposit" | "withdrawal" | "spent";
type ReportChecks = Readonly<Record<ReportCheck, Readonly<Partial<Record<CheckResult["verdict"], string>>>>>;

export const reportEn = {
  title: "Reports",
  lead:
    "A report proves to one reader, such as a bank, where your money came from. It says nothing about your other notes.",
  makeTitle: "Make a report",
  makeLead: "For a note that you have withdrawn:",
  makeNone: "You have no withdrawn note yet.",
  makeLocked: "Your notes are locked. Unlock them first.",
  unlock: "Unlock my notes",
  make: "Make a report",
  checkTitle: "Check a report",
  checkLead: "Choose a report that you received. The app checks it against the chain.",
  check: "Choose a report",
  purposeTitle: "Who is it for?",
  purpose: "Reader and reason",
  purposeHint:
    "For example: Example Bank, account opening. The reader sees this text. Anyone who gets the report can pass it on.",
  purposeError: "Use one line of at most 500 characters, all of them visible.",
  making: "Making the report",
  madeTitle: "The report is ready",
  madeLead: "Give it to this reader only. It links your deposit with your withdrawal.",
  save: "Save the report",
  checking: "Checking the report …",
  trueTitle: "The report is true",
  warnedTitle: "The report is true, with a warning",
  falseTitle: "The report is not true",
  /** Sentences for the library's checks, by their name and verdict. */
  checks: {
    proof: {
      ok: "Its maker knows the note.",
      warning:
        "Its maker knows the note. But this version has test keys, and whoever made them can forge reports.",
      failed: "It does not prove that its maker knows the note, or another version of the app made it.",
    },
    pool: {
      ok: "The pool is genuine.",
      warning: "The pool is genuine. This app does not list it, so the name of its coin is not certain.",
      failed: "The pool is not genuine, or the report describes it wrongly.",
    },
    deposit: {
      ok: "The pool has this deposit.",
      failed: "The pool has no such deposit, or not as the report describes it.",
    },
    withdrawal: {
      ok: "The pool has this withdrawal.",
      failed: "The pool has no such withdrawal, or not as the report describes it.",
    },
    spent: { ok: "The note is withdrawn.", failed: "The note is not withdrawn." },
  } satisfies ReportChecks as ReportChecks,
  details: "Details",
  facts: {
    purpose: "Made for",
    amount: "Amount",
    depositor: "Paid in by",
    recipient: "Paid out to",
    depositedAt: "Paid in",
    withdrawnAt: "Paid out",
  },
};
