import { deepEqual, equal, ok } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { Problem } from "../../../core/errors/problem.ts";
import type { Payer, PayerSource, PayMessage } from "../../ports.ts";
import {
  depositMachine,
  EXPIRY_GRACE_SECONDS,
  nextDeposit,
  QUESTION_SECONDS,
  resumeDeposit,
} from "./deposit.ts";
import type { DepositServices } from "./deposit_services.ts";
import type { DepositEvent, DepositState, DepositTicket, NoteBackup } from "./deposit_state.ts";
import { startFlow } from "../machine.ts";

const pool = { key: "native-1", version: 1, asset: "native", amount: "1" } as const;
const ticket: DepositTicket = { id: "aa", pool };
const payer = { name: "Keeper" } as Payer;
const source = { id: "keeper" } as PayerSource;
const message: PayMessage = {
  to: new Address(0, new Uint8Array(32) as never),
  amount: 1n,
  body: beginCell().endCell(),
};
const question = { validUntil: 1_000, leafIndex: 5 };
const paying = (wallet: Extract<DepositState, { step: "paying" }>["wallet"]): DepositState => ({
  step: "paying",
  ticket,
  attempt: 1,
  wallet,
});
const walletOf = (state: DepositState) => state.step === "paying" ? state.wallet : undefined;
const after = (state: DepositState, ...events: readonly DepositEvent[]) => events.reduce(nextDeposit, state);
const failed = (code: "wallet_declined" | "wallet_unavailable", work: string): DepositEvent => ({
  type: "failed",
  problem: new Problem(code),
  work,
});

Deno.test("an amount is shown only after a proven backup and a stored note", () => {
  const chosen = after({ step: "choosing" }, { type: "pool_chosen", pool, isBackedUp: false });
  equal(chosen.step, "backup");
  equal(after(chosen, { type: "prepared", ticket }).step, "backup");
  equal(after(chosen, { type: "pay" }).step, "backup");
  const proven = after(chosen, { type: "backup_proven" });
  equal(proven.step, "preparing");
  deepEqual(walletOf(after(proven, { type: "prepared", ticket })), { at: "none" });
});

Deno.test("a stored note is paid only after a backup that brings it back, which is looked up again", () => {
  const opening: DepositState = { step: "opening", id: "aa" };
  const opened = (backup: NoteBackup, wasRequested = false): DepositEvent => ({
    type: "opened",
    opened: { ticket, backup, wasRequested },
  });
  for (const [backup, needsFile] of [["missing", false], ["file_missing", true]] as const) {
    const held = after(opening, opened(backup));
    deepEqual(held, { step: "backup", next: opening, needsFile });
    for (const event of [opened("proven"), { type: "pay" }, { type: "prepared", ticket }] as const) {
      equal(after(held, event), held);
    }
    const again = after(held, { type: "backup_proven" });
    equal(again, opening);
    equal(after(again, opened("file_missing")).step, "backup", "the paper does not bring this note back");
  }
  deepEqual(walletOf(after(opening, opened("proven"))), { at: "none" });
  deepEqual(after(opening, opened("proven", true)), resumeDeposit(ticket));
});

Deno.test("a payment is shown again when the user says so: of an earlier visit, or of this one after a long wait", () => {
  deepEqual(walletOf(after(resumeDeposit(ticket), { type: "not_paid" })), { at: "none", question: {} });
  const asked = paying({ at: "waiting", payer, question });
  equal(after(asked, { type: "not_paid" }), asked);
  const asking = paying({ at: "asking", payer, message, question });
  equal(after(asking, { type: "not_paid" }), asking);
  deepEqual(walletOf(after(asked, { type: "long_wait" }, { type: "not_paid" })), { at: "none", question });
});

Deno.test("a wallet is connected again only when the request that was not paid has expired", () => {
  const shown = after(resumeDeposit(ticket), { type: "not_paid" }, { type: "chain_time", now: 5_000 });
  deepEqual(walletOf(shown), { at: "none", question: { validUntil: 5_000 + QUESTION_SECONDS } });
  equal(after(shown, { type: "source_chosen", source }), shown);
  const open = after(shown, { type: "chain_time", now: 5_000 + QUESTION_SECONDS + EXPIRY_GRACE_SECONDS });
  equal(walletOf(after(open, { type: "source_chosen", source }))?.at, "none");
  const expired = after(open, { type: "chain_time", now: 5_001 + QUESTION_SECONDS + EXPIRY_GRACE_SECONDS });
  deepEqual(walletOf(expired), { at: "none" });
  equal(walletOf(after(expired, { type: "source_chosen", source }))?.at, "connecting");
});

Deno.test("a stored note is paid only when the log was read, also if the endpoint's time is not plausible", () => {
  const opened = { type: "opened", opened: { ticket, backup: "proven", wasRequested: false } } as const;
  const unread = after({ step: "opening", id: "aa" }, opened);
  ok(unread.step === "paying" && unread.isUnread);
  for (const event of [{ type: "source_chosen", source }, { type: "unreachable" }] as const) {
    const next = after(unread, event);
    ok(next.step === "paying" && next.isUnread && next.wallet.at === "none");
  }
  for (const now of [5_000, undefined]) {
    const read = after(unread, { type: "chain_time", now });
    ok(read.step === "paying" && !read.isUnread);
    equal(walletOf(after(read, { type: "source_chosen", source }))?.at, "connecting");
  }
  const made = after({ step: "preparing", pool }, { type: "prepared", ticket });
  ok(made.step === "paying" && !made.isUnread, "a new note is looked up before it is stored");
});

Deno.test("a request ends only by a plausible chain time", () => {
  const open = after(paying({ at: "waiting", payer, question }), { type: "unreachable" });
  const read = after(open, { type: "chain_time", now: undefined });
  deepEqual(walletOf(read), walletOf(open));
  ok(read.step === "paying" && !read.offline);
});

Deno.test("what a withdrawal costs is shown with the amounts", () => {
  const fees = new Map([["native-1", "0.1"]]);
  deepEqual(after({ step: "choosing" }, { type: "fees", fees }), { step: "choosing", fees });
});

Deno.test("a stored note of a pool that cannot be paid is not opened again", () => {
  const opening: DepositState = { step: "opening", id: "aa" };
  const cases = [
    ["chain_unavailable", "opening"],
    ["pool_retired", "choosing"],
    ["wrong_pool", "choosing"],
  ] as const;
  for (const [code, expected] of cases) {
    const stopped = after(opening, { type: "failed", problem: new Problem(code), work: "open" });
    equal(stopped.step, "failed");
    equal(after(stopped, { type: "retry" }).step, expected, code);
  }
});

Deno.test("a deposit ends only with an event of the pool's log, whatever the connected wallet answers", () => {
  let state = paying({ at: "none" });
  const steps = ([
    { type: "source_chosen", source },
    { type: "link", link: "tc://x" },
    { type: "connected", payer },
    { type: "pay" },
    { type: "progress", fraction: 0.5 },
    { type: "proved", message, question },
    { type: "answered" },
  ] as const).map((event) => walletOf(state = nextDeposit(state, event))?.at);
  deepEqual(steps, ["connecting", "connecting", "ready", "proving", "proving", "asking", "waiting"]);
  deepEqual(after(state, { type: "seen", leafIndex: 7 }), { step: "done", ticket, leafIndex: 7 });
});

Deno.test("the wallet is disconnected when the deposit ends, is left, or another wallet is chosen, and only then", async () => {
  const run = async (...events: readonly DepositEvent[]) => {
    let disconnected = 0;
    const connected: Payer = { ...payer, disconnect: () => Promise.resolve(void disconnected++) };
    const services = {
      watch: () => new Promise(() => {}),
      waitForReturn: () => new Promise(() => {}),
    } as unknown as DepositServices;
    const flow = startFlow(depositMachine(services), paying({ at: "ready", payer: connected }));
    const counts = [];
    for (const event of [...events, "stop"] as const) {
      if (event === "stop") flow.stop();
      else flow.send(event);
      await Promise.resolve();
      await Promise.resolve();
      counts.push(disconnected);
    }
    return counts;
  };
  deepEqual(await run({ type: "seen", leafIndex: 7 }), [1, 1]);
  deepEqual(await run({ type: "wallet_left" }), [1, 1]);
  deepEqual(await run({ type: "source_chosen", source }), [1, 1]);
  deepEqual(await run({ type: "leave" }), [1, 1]);
  deepEqual(await run(failed("wallet_unavailable", "watch"), { type: "retry" }), [0, 0, 1]);
});

Deno.test("a watch that failed and is tried again asks no wallet that may still pay", () => {
  const problem = new Problem("write_failed");
  for (
    const [wallet, expected] of [
      [{ at: "none" }, { at: "none" }],
      [{ at: "connecting", source }, { at: "none" }],
      [{ at: "proving", payer, attempt: 1, fraction: 0 }, { at: "ready", payer }],
      [{ at: "asking", payer, message, question }, { at: "waiting", payer, question, notice: "unanswered" }],
      [{ at: "waiting", payer, question }, { at: "waiting", payer, question }],
      [{ at: "returning", payer, isOvertaken: true }, { at: "returning", payer, isOvertaken: true }],
    ] as const
  ) {
    const stopped = after(paying(wallet), { type: "failed", problem, work: "watch" });
    equal(stopped.step, "failed");
    const again = after(stopped, { type: "retry" });
    deepEqual(walletOf(again), expected);
    equal(again.step === "paying" && again.attempt, 1);
  }
});

Deno.test("no payment is requested while an earlier request can still be paid", () => {
  for (const at of ["asking", "waiting"] as const) {
    const open = paying({ at, payer, message, question });
    for (
      const event of [
        { type: "pay" },
        { type: "source_chosen", source },
        { type: "connected", payer },
        { type: "wallet_left" },
        { type: "returned", isSeen: true },
        { type: "chain_time", now: question.validUntil + EXPIRY_GRACE_SECONDS },
        { type: "refused", reason: "late", isOwn: false, isOvertaken: true },
      ] as const
    ) equal(walletOf(after(open, event))?.at, at, `${at} ${event.type}`);
    const expired = after(open, { type: "chain_time", now: question.validUntil + EXPIRY_GRACE_SECONDS + 1 });
    deepEqual(walletOf(expired), { at: "ready", payer, notice: "expired" });
  }
});

Deno.test("a request stays open after a wallet declines or does not answer, because it may have sent the payment", () => {
  for (
    const [code, notice] of [["wallet_declined", "declined"], ["wallet_unavailable", "unanswered"]] as const
  ) {
    const state = after(paying({ at: "asking", payer, message, question }), failed(code, "ask"));
    deepEqual(walletOf(state), { at: "waiting", payer, question, notice });
  }
});

Deno.test("after another deposit took the leaf, the wallet is asked again only when its payment has returned", () => {
  const open = paying({ at: "waiting", payer, question });
  const refused = after(open, { type: "refused", reason: "stale", isOwn: true, isOvertaken: true });
  equal(walletOf(refused)?.at, "returning");
  equal(walletOf(after(refused, { type: "pay" }))?.at, "returning");
  const back = after(refused, { type: "returned", isSeen: true });
  deepEqual(walletOf(back), { at: "ready", payer, notice: "overtaken" });
  const other = after(open, { type: "refused", reason: "amount", isOwn: true, isOvertaken: false }, {
    type: "returned",
    isSeen: true,
  });
  deepEqual(walletOf(other), { at: "ready", payer });
  const missing = after(refused, { type: "returned", isSeen: false });
  deepEqual(walletOf(missing), { at: "ready", payer, notice: "unreturned" });
  const again = after(back, { type: "pay" });
  equal(walletOf(again)?.at, "proving");
  deepEqual([back, again].map((state) => state.step === "paying" && state.refused), ["stale", undefined]);
});

Deno.test("a reloaded page waits until the payment request of the earlier visit has expired", () => {
  const resumed = after(resumeDeposit(ticket), { type: "chain_time", now: 5_000 });
  equal(walletOf(after(resumed, { type: "pay" }, { type: "source_chosen", source }))?.at, "waiting");
  const expired = after(resumed, {
    type: "chain_time",
    now: 5_000 + QUESTION_SECONDS + EXPIRY_GRACE_SECONDS + 1,
  });
  deepEqual(walletOf(expired), { at: "none" });
});

Deno.test("every step can be cancelled, and a finished deposit stays finished", () => {
  const states: DepositState[] = [
    { step: "choosing" },
    { step: "backup", next: { step: "preparing", pool }, needsFile: false },
    { step: "preparing", pool },
    { step: "opening", id: "aa" },
    paying({ at: "none" }),
    paying({ at: "asking", payer, message, question }),
    { step: "failed", problem: new Problem("wrong_pool") },
  ];
  for (const state of states) equal(nextDeposit(state, { type: "leave" }).step, "left");
  const done: DepositState = { step: "done", ticket, leafIndex: 1 };
  equal(nextDeposit(done, { type: "leave" }), done);
});

Deno.test("failures return to the step that can be repeated", () => {
  const problem = new Problem("chain_unavailable");
  const cases: [DepositState, string, string][] = [
    [{ step: "preparing", pool }, "prepare", "failed"],
    [paying({ at: "none" }), "watch", "failed"],
    [paying({ at: "connecting", source }), "connect", "none"],
    [paying({ at: "proving", payer, attempt: 1, fraction: 0 }), "build", "ready"],
    [paying({ at: "returning", payer, isOvertaken: false }), "return", "ready"],
  ];
  for (const [state, work, expected] of cases) {
    const next = after(state, { type: "failed", problem, work });
    equal(walletOf(next)?.at ?? next.step, expected, work);
  }
  equal(after({ step: "failed", problem }, { type: "retry" }).step, "choosing");
});

Deno.test("an endpoint that does not answer is shown until it answers", () => {
  const offline = after(paying({ at: "none" }), { type: "unreachable" });
  ok(offline.step === "paying" && offline.offline);
  const online = after(offline, { type: "chain_time", now: 1 });
  ok(online.step === "paying" && !online.offline);
});

Deno.test("each amount shows the size of its pool once it is read, and a failure changes nothing", () => {
  const sizes = new Map([["native-1", 12]]);
  const choosing: DepositState = { step: "choosing" };
  deepEqual(after(choosing, { type: "sizes", sizes }), { step: "choosing", sizes });
  equal(after(choosing, failed("wallet_unavailable", "sizes")), choosing);
  const chosen = after(choosing, { type: "pool_chosen", pool, isBackedUp: true });
  equal(after(chosen, { type: "sizes", sizes }), chosen);
});
