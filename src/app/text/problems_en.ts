/** The texts for each problem, with the next step. A new code without an entry does not compile. */
import type { ProblemCode } from "../../core/errors/problem.ts";

export interface ProblemText {
  readonly text: string;
  readonly next: string;
}

const relayerRefused: ProblemText = {
  text: "The relayer did not accept the withdrawal.",
  next:
    "Your note is safe. Try again in a minute, or add a relayer in Settings or when you start tonado app.",
};
const relayerBusy: ProblemText = {
  text: "The relayer is busy.",
  next:
    "Your note is safe. Wait a minute and try again, or add a relayer in Settings or when you start tonado app.",
};
const poolTrouble: ProblemText = {
  text: "This pool cannot pay out at the moment.",
  next: "Your note is safe. Try again later.",
};
const appFault: ProblemText = {
  text: "Something in the app went wrong.",
  next: "Your notes are safe in the store. Load the page again. If it happens again, report it.",
};
const endpointTrouble: ProblemText = {
  text: "The network does not answer.",
  next: "Check your internet connection and try again. In Settings you can enter another endpoint.",
};
/** Text of problems that only operators and commands can have. */
const notHere: ProblemText = {
  text: "This cannot be done in the app.",
  next: "Use the tonado program, or load the page again.",
};

function forAll<C extends ProblemCode>(text: ProblemText, ...codes: readonly C[]) {
  return Object.fromEntries(codes.map((code) => [code, text])) as Record<C, ProblemText>;
}

export const problemsEn: Readonly<Record<ProblemCode, ProblemText>> = {
  wrong_passphrase: {
    text: "This is not the right passphrase.",
    next: "Check capital letters and spaces, then type it again. Nobody can reset it.",
  },
  out_of_memory: {
    text: "This device has too little free memory to encrypt or open your notes.",
    next: "Close other tabs and programs and try again, or use a computer.",
  },
  note_store_corrupted: {
    text: "This file or this browser's notes cannot be read.",
    next: "Use a backup: the newest file that you saved, or your paper.",
  },
  note_store_in_use: {
    text: "Another tab is working with your notes.",
    next: "Finish there or close it, then try again here.",
  },
  wrong_backup: {
    text: "This backup belongs to other notes.",
    next: "Choose the file that you just saved, or make a new backup.",
  },
  seed_conflict: {
    text: "Your notes here come from another recovery code.",
    next: "Nothing was changed. To use this code, erase this store in Settings first, after a backup.",
  },
  seed_missing: {
    text: "These notes have no recovery code yet.",
    next: "Make a backup: this also creates a recovery code. Or restore one that you have.",
  },
  invalid_seed: {
    text: "A character of this recovery code is wrong or missing.",
    next: "Compare it with your copy, four characters at a time, and correct it.",
  },
  invalid_note: {
    text: "This is not a complete note or code.",
    next: "Copy all of it, from the first letter to the last, and try again.",
  },
  note_gap_reached: {
    text: "You started many deposits in this pool and have not paid them.",
    next: "Finish one of them first. You find them under Notes.",
  },
  unknown_note: { text: "This note is not in your store.", next: "Go back to Notes and choose it again." },
  write_failed: {
    text: "The browser could not save your notes.",
    next:
      "Free some space, or allow storage, and try again. If it still fails, load the page again. Older notes are safe.",
  },
  store_unavailable: {
    text: "The browser gives this page no access to its storage.",
    next:
      "Close other tabs of this app and load the page again. If that fails, leave private browsing, or allow storage.",
  },
  wallet_declined: {
    text: "The wallet says that you declined.",
    next: "Connect it again, or use another wallet.",
  },
  wallet_unavailable: {
    text: "The wallet did not answer clearly.",
    next: "Look into the wallet's history before you pay again.",
  },
  camera_unavailable: {
    text: "The camera cannot be used.",
    next: "Allow the camera for this page, or type the text instead.",
  },
  passkey_unavailable: {
    text: "The passkey did not work.",
    next: "Type your passphrase instead. It always works.",
  },
  insufficient_funds: {
    text: "There is not enough money in this wallet.",
    next: "Add money to the wallet, or connect another one. A payment in tokens also needs TON for its fees.",
  },
  payment_timeout: {
    text: "No payment has arrived yet.",
    next: "If you have paid, keep this page open. Otherwise, try again.",
  },
  contract_refused: {
    text: "The pool sent the payment back.",
    next: "The money goes back to the wallet that sent it, less fees. Look there, then try again.",
  },
  pool_retired: { text: "This pool takes no new deposits.", next: "Choose another amount." },
  pool_closed: {
    text: "This pool takes no deposits now.",
    next: "Try again later, or choose another amount.",
  },
  tree_full: { text: "This pool is full.", next: "Choose another amount." },
  wrong_pool: {
    text: "This is not the note's pool, or not a pool of this app.",
    next:
      "Pay nothing into it, and load the page again. The tonado program can withdraw notes of other pools.",
  },
  unknown_pool: {
    text: "This pool is not known here.",
    next: "Choose another amount, or add a relayer in Settings or when you start tonado app.",
  },
  wrong_network: {
    text: "This belongs to another network.",
    next: "Check that the wallet, the endpoint and the file are for the same network as this app.",
  },
  invalid_address: {
    text: "This is not an address that can be paid.",
    next:
      "Copy the whole address from your wallet. It begins with UQ or EQ, on a test network with 0Q or kQ.",
  },
  unpayable_recipient: {
    text: "Money sent to this address would be lost.",
    next: "Nothing was sent. Use an address of your own wallet.",
  },
  commitment_not_found: {
    text: "This note's deposit is not ready yet.",
    next: "If you paid a moment ago, wait a few minutes. If it takes longer, look at the note under Notes.",
  },
  nullifier_already_used: {
    text: "This note was already withdrawn.",
    next:
      "Open Notes and press Check the notes. If you did not withdraw it, somebody has a copy of your note.",
  },
  note_paid_elsewhere: {
    text: "This note was paid to another address.",
    next: "If that was not you, somebody has a copy of your notes. Withdraw the others now.",
  },
  note_unspent: {
    text: "This note is not withdrawn yet.",
    next: "Withdraw it first. A report made now would give your withdrawal away.",
  },
  relayer_unavailable: {
    text: "No relayer could serve this request.",
    next:
      "Your note is safe. Try again in a minute, or add a relayer in Settings or when you start tonado app.",
  },
  fee_above_limit: {
    text: "The fee went up meanwhile.",
    next: "It was not sent at the new price. Look at the prices and decide again.",
  },
  tree_incomplete: {
    text: "The relayer is behind the network.",
    next: "Your note is safe. Try again in a minute.",
  },
  unknown_root: { text: "The pool has changed meanwhile.", next: "Your note is safe. Try again." },
  stale_root: { text: "The pool has changed meanwhile.", next: "Your note is safe. Try again." },
  artifact_unavailable: {
    text: "Files that are needed could not be loaded.",
    next: "Check your internet connection and try again.",
  },
  artifact_corrupted: {
    text: "A file from this website is not the one that this app expects.",
    next: "Do not continue here. Load the page again. If this happens again, use the tonado program.",
  },
  chain_unavailable: endpointTrouble,
  chain_inconsistent: {
    text: "The network gave answers that contradict each other, or this device's clock.",
    next:
      "Check the date and time of this device. Then try again in a minute, or enter another endpoint in Settings.",
  },
  invalid_report: {
    text: "This is not a complete report.",
    next: "Ask for the file as it was made.",
  },
  report_verification_failed: { text: "This report is not true.", next: "Do not rely on it." },
  cancelled: { text: "You stopped this.", next: "You can start it again." },
  invalid_request: {
    text: "This file is too large, of another kind, or cannot be read.",
    next: "Choose the right file.",
  },
  invalid_amount: { text: "This is not an amount.", next: "Type a number such as 0.5." },
  invalid_config: { text: "A setting is not valid.", next: "Correct the marked field." },
  ...forAll(appFault, "invalid_registry", "internal", "constraints_unsatisfied", "invalid_proof"),
  ...forAll(appFault, "proof_invalid", "not_in_field", "confirmation_required", "secret_in_body"),
  ...forAll(relayerRefused, "fee_not_below_denomination", "withdrawal_not_found", "relayer_mismatch"),
  ...forAll(relayerRefused, "recipient_mismatch", "fee_mismatch", "refund_mismatch", "fee_below_floor"),
  ...forAll(relayerRefused, "fee_below_cost", "fee_min_missing", "refund_above_limit", "relayer_balance_low"),
  ...forAll(relayerRefused, "request_timeout", "body_too_large", "unsupported_media_type"),
  ...forAll(relayerRefused, "method_not_allowed", "not_found"),
  ...forAll(relayerBusy, "not_ready", "overloaded", "rate_limited", "hourly_cap_reached", "retry_later"),
  ...forAll(relayerBusy, "verification_busy"),
  payouts_blocked: poolTrouble,
  ...forAll(notHere, "cache_unavailable", "store_conflict", "not_leader", "unknown_store", "store_not_empty"),
  ...forAll(notHere, "store_corrupted", "invalid_export", "folder_in_use", "deployment_refused"),
  ...forAll(notHere, "rescue_refused", "audit_failed", "invalid_ceremony"),
};
