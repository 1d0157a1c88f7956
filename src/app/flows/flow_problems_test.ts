/** What each flow does when its work fails, with every problem code, and when the user goes back meanwhile. */
import { deepEqual, equal } from "node:assert/strict";
import { Address, Cell } from "@ton/core";
import { Problem, type ProblemCode, problems } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import { backupMachine, nextBackup } from "./backup.ts";
import { nextCheck } from "./check.ts";
import type { Payer, PayerSource, PayMessage } from "../ports.ts";
import { nextDeposit } from "./deposit/deposit.ts";
import type { WalletStep } from "./deposit/deposit_state.ts";
import { startFlow } from "./machine.ts";
import { nextReport } from "./report.ts";
import { nextRestore } from "./restore.ts";
import { nextStore, type StoreState } from "./store/store.ts";
import { nextWithdraw, resumeWithdraw } from "./withdraw/withdraw.ts";

interface Failure {
  readonly type: "failed";
  readonly problem: Problem;
  readonly work: string;
}
interface Outcome {
  readonly step: string;
  readonly problem?: Problem;
}
interface WorkingState {
  readonly name: string;
  readonly fail: (failure: Failure) => Outcome;
  readonly step: string; // that shows the problem
  readonly others?: Readonly<Partial<Record<ProblemCode, string>>>; // steps of codes that lead elsewhere
}

const passphrase = new Secret("correct horse battery");
const bytes = new Uint8Array([1]);
const source = { kind: "file", name: "notes.age", bytes } as const;
const pool = { key: "native-10-v2", version: 2, asset: "native", amount: "10" } as const;
const store = (state: StoreState<string>) => (failure: Failure): Outcome => nextStore(state, failure);
const verifying = { step: "verifying", kind: "file", content: { bytes }, passphrase } as const;
const opening = { step: "opening", source, isNew: false, passphrase } as const;
const submitted = resumeWithdraw("aa", "UQ");

/** Returns what a deposit's wallet does when its work fails in this step. */
const wallet = (step: WalletStep) => (failure: Failure): Outcome => {
  const next = nextDeposit({ step: "paying", ticket: { id: "aa", pool }, wallet: step, attempt: 1 }, failure);
  if (next.step !== "paying") return next;
  return { step: next.wallet.at, ..."problem" in next.wallet && { problem: next.wallet.problem! } };
};
const payer = { name: "Keeper" } as Payer;
const message: PayMessage = { to: new Address(0, Buffer.alloc(32)), amount: 1n, body: Cell.EMPTY };

const states: readonly WorkingState[] = [
  { name: "the search for a store", fail: store({ step: "searching" }), step: "failed" },
  { name: "the drawing of words", fail: store({ step: "drawing", isRequired: true }), step: "new" },
  {
    name: "the creation of a store",
    fail: store({ step: "creating", passphrase }),
    step: "new",
    others: { note_store_in_use: "searching", out_of_memory: "drawing" },
  },
  {
    name: "the opening of a store",
    fail: store({ step: "opening", passphrase, hasPasskey: true }),
    step: "locked",
  },
  {
    name: "the making of a backup",
    fail: (failure) => nextBackup({ step: "making", kind: "paper" }, failure),
    step: "offer",
  },
  {
    name: "the verification of a backup",
    fail: (failure) => nextBackup(verifying, failure),
    step: "made",
    others: { wrong_passphrase: "read" },
  },
  {
    name: "a restore",
    fail: (failure) => nextRestore(opening, failure),
    step: "choose",
    others: { wrong_passphrase: "passphrase" },
  },
  {
    name: "a check",
    fail: (failure) =>
      nextCheck({ step: "reading", side: "withdrawal", pool: "", isBackground: false, seen: 0 }, failure),
    step: "failed",
  },
  {
    name: "the making of a report",
    fail: (failure) => nextReport({ step: "making", id: "aa", purpose: "p", fraction: 0 }, failure),
    step: "purpose",
  },
  {
    name: "the check of a report",
    fail: (failure) => nextReport({ step: "checking", bytes }, failure),
    step: "choose",
  },
  {
    name: "the preparation of a deposit",
    fail: (failure) => nextDeposit({ step: "preparing", pool }, failure),
    step: "failed",
  },
  {
    name: "the connection to a wallet",
    fail: wallet({ at: "connecting", source: { id: "keeper" } as PayerSource }),
    step: "none",
  },
  {
    name: "the preparation of a payment",
    fail: wallet({ at: "proving", payer, attempt: 1, fraction: 0 }),
    step: "ready",
  },
  {
    name: "a request to a wallet that may have paid",
    fail: wallet({ at: "asking", payer, message, question: { validUntil: 1 } }),
    step: "waiting",
  },
  {
    name: "the wait for a returned payment",
    fail: wallet({ at: "returning", payer, isOvertaken: false }),
    step: "ready",
  },
  {
    name: "the review of a withdrawal",
    fail: (failure) =>
      nextWithdraw(
        { step: "checking", id: "aa", recipient: "UQ", isSubmitted: false, isFailover: false },
        failure,
      ),
    step: "form",
  },
  {
    name: "a withdrawal before its submission",
    fail: (failure) => nextWithdraw({ ...submitted, isSubmitted: false }, failure),
    step: "failed",
    others: { invalid_address: "form", unpayable_recipient: "form" },
  },
  { name: "a submitted withdrawal", fail: (failure) => nextWithdraw(submitted, failure), step: "failed" },
];

/** These steps show no problem, because the flow continues by itself. */
const CONTINUING: ReadonlySet<string> = new Set(["searching", "drawing", "waiting"]);

for (const { name, fail, step, others = {} } of states) {
  Deno.test(`${name} that fails continues at "${step}", whatever the code`, () => {
    for (const code of Object.keys(problems) as ProblemCode[]) {
      const problem = new Problem(code);
      const outcome = fail({ type: "failed", problem, work: "" });
      const expected = others[code] ?? step;
      equal(outcome.step, expected, code);
      equal(outcome.problem, CONTINUING.has(expected) ? undefined : problem, code);
    }
  });
}

Deno.test("work that writes the store or opens a backup does not end when the user goes back", () => {
  const back = { type: "back" } as const;
  const creating: StoreState<string> = { step: "creating", passphrase };
  equal(nextStore(creating, back), creating);
  equal(nextRestore(opening, back), opening);
  equal(nextBackup(verifying, back), verifying);
});

Deno.test("the opening of a store ends when the user goes back or another tab locks it", () => {
  for (const type of ["back", "lock"] as const) {
    const next = nextStore<string>({ step: "opening", passphrase, hasPasskey: true }, { type });
    deepEqual(next, { step: "locked", hasPasskey: true });
  }
});

Deno.test("a backup whose verification ends after the screen was left is not recorded as proven", async () => {
  const verification = Promise.withResolvers<{ provenSeed: string; provenNotes: string[] }>();
  const recorded: unknown[] = [];
  const flow = startFlow(
    backupMachine({
      make: () => Promise.resolve(),
      verify: () => verification.promise,
      recordProof: (proof) => void recorded.push(proof),
    }),
    verifying,
  );
  flow.stop();
  verification.resolve({ provenSeed: "s", provenNotes: [] });
  for (let i = 0; i < 10; i++) await Promise.resolve();
  deepEqual(recorded, []);
});
