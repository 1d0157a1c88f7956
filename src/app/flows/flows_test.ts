/** The transitions of the smaller flows: store, backup, check, report. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import { type BackupEvent, backupMachine, type BackupState, nextBackup } from "./backup.ts";
import { checkMachine, type CheckSide, type CheckState, nextCheck } from "./check.ts";
import { startFlow } from "./machine.ts";
import { nextReport, type ReportEvent, type ReportState } from "./report.ts";
import { findPassphraseFault, nextStore, type StoreEvent, type StoreState } from "./store/store.ts";

const passphrase = new Secret("correct horse battery");
const failed = (code: ProblemCode, work = "") =>
  ({ type: "failed", problem: new Problem(code), work }) as const;
const steps = <S extends { readonly step: string }, E>(
  next: (state: S, event: E) => S,
  initial: S,
  events: readonly E[],
) => {
  let state = initial;
  return events.map((event) => (state = next(state, event)).step);
};

Deno.test("a store is created, locked and opened, and a wrong passphrase asks again", () => {
  deepEqual(
    steps<StoreState<string>, StoreEvent<string>>(nextStore, { step: "searching" }, [
      { type: "not_found" },
      { type: "create" },
      { type: "passphrase", passphrase },
      { type: "opened", session: "s" },
      { type: "lock" },
      { type: "found", hasPasskey: true },
      { type: "passphrase", passphrase },
      failed("wrong_passphrase"),
      { type: "passkey" },
      { type: "opened", session: "s" },
      { type: "erased" },
    ]),
    [
      ...["absent", "new", "creating", "open", "locked", "locked", "opening", "locked", "opening"],
      ...["open", "absent"],
    ],
  );
});

Deno.test("drawn words become the passphrase, and are required on devices with too little memory", () => {
  const run = (initial: StoreState<string>, events: readonly StoreEvent<string>[]) =>
    steps<StoreState<string>, StoreEvent<string>>(nextStore, initial, events);
  const drawn = { type: "drawn", passphrase } as const;
  deepEqual(
    run({ step: "new" }, [
      ...[{ type: "draw" }, drawn, { type: "draw" }, drawn, { type: "back" }] as const,
      ...[{ type: "passphrase", passphrase }, failed("out_of_memory"), drawn] as const,
      ...[{ type: "passphrase", passphrase }, { type: "opened", session: "s" }] as const,
    ]),
    ["drawing", "drawn", "drawing", "drawn", "new", "creating", "drawing", "drawn", "creating", "open"],
  );
  const short = nextStore<string>({ step: "creating", passphrase }, failed("out_of_memory"));
  deepEqual(short, { step: "drawing", isRequired: true });
});

Deno.test("a page in which notes are not safe stays refused after any event", () => {
  const refused = nextStore({ step: "searching" }, { type: "refused", fault: "framed" });
  for (const event of [{ type: "create" }, { type: "erased" }, { type: "opened", session: "s" }] as const) {
    equal(nextStore(refused, event), refused);
  }
});

Deno.test("a storage failure is reported and can be retried", () => {
  const failing = nextStore({ step: "searching" }, failed("store_unavailable"));
  equal(failing.step, "failed");
  equal(nextStore(failing, { type: "retry" }).step, "searching");
  const creating = nextStore({ step: "creating", passphrase }, failed("write_failed"));
  ok(creating.step === "new" && creating.problem?.code === "write_failed");
});

Deno.test("a passphrase is long, not one letter repeated, and typed twice", () => {
  deepEqual(
    [["short", "short"], ["aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa"], ["correct horse", "other"], [
      "correct horse",
      "correct horse",
    ]]
      .map(([a, b]) => findPassphraseFault(a, b)),
    ["too_short", "repetitive", "differs", undefined],
  );
});

Deno.test("a passphrase of common words, keys in a row and years is refused", () => {
  for (
    const text of ["password1234", "Qwertyuiop123", "tonado-wallet-2026", "пароль123456!", "1234567890abcd"]
  ) {
    equal(findPassphraseFault(text, text), "guessable", text);
  }
  for (const text of ["my wallet is a green horse", "correct horse 2026", "Passworträtsel im Mai"]) {
    equal(findPassphraseFault(text, text), undefined, text);
  }
});

Deno.test("a passphrase with a character that could not be typed again is refused", () => {
  for (const text of ["correct\thorse battery", "Z\ufffdrich Z\ufffdrich", "correct horse \ud83d"]) {
    equal(findPassphraseFault(text, text), "not_enterable", text);
  }
  equal(findPassphraseFault("Zürich 🐴 battery", "Zürich 🐴 battery"), undefined);
  equal(findPassphraseFault("Zürich am See", "Zürich am See".normalize("NFD")), undefined, "one passphrase");
  equal(findPassphraseFault("éééééééèêü".normalize("NFD"), ""), "too_short", "counted as letters");
});

const bytes = new Uint8Array([1]);

Deno.test("a backup is proven only when it was read back and contains this store's seed", () => {
  const events: BackupEvent[] = [
    { type: "returned", content: { bytes } },
    { type: "make", kind: "file" },
    { type: "passphrase", passphrase },
    { type: "made" },
    { type: "verified", isOurs: true },
    { type: "returned", content: { bytes } },
    { type: "verified", isOurs: true },
    { type: "passphrase", passphrase },
    failed("wrong_passphrase"),
    { type: "passphrase", passphrase },
    { type: "verified", isOurs: false },
    { type: "returned", content: { bytes } },
    { type: "passphrase", passphrase },
    failed("note_store_corrupted"),
    { type: "returned", content: { bytes } },
    { type: "passphrase", passphrase },
    { type: "verified", isOurs: true },
  ];
  deepEqual(steps<BackupState, BackupEvent>(nextBackup, { step: "offer" }, events), [
    ...["offer", "making", "making", "made", "made", "read", "read", "verifying", "read", "verifying"],
    ...["made", "read", "verifying", "made", "read", "verifying", "proven"],
  ]);
});

Deno.test("the proof of a backup is recorded before the flow shows it, and not for another store", async () => {
  for (const proof of [{ provenSeed: "s", provenNotes: [] }, undefined]) {
    const recorded: unknown[] = [];
    const flow = startFlow(
      backupMachine({
        make: () => Promise.resolve(),
        verify: () => Promise.resolve(proof),
        recordProof: (proof) => void recorded.push(proof),
      }),
      { step: "read", kind: "file", content: { bytes } },
    );
    const states: string[] = [];
    flow.subscribe(({ step }) => states.push(`${step} ${recorded.length}`));
    flow.send({ type: "passphrase", passphrase });
    for (let i = 0; i < 10; i++) await Promise.resolve();
    deepEqual(states, ["verifying 0", proof ? "proven 1" : "made 0"]);
  }
});

Deno.test("a check keeps its earlier result while it reads, fails or is cancelled", () => {
  const result = { facts: new Map(), recovered: 0, unread: [] };
  let state: CheckState = { step: "idle", result };
  for (
    const [event, step] of [
      [{ type: "check" }, "reading"],
      [{ type: "progress", pool: "p", seen: 3 }, "reading"],
      [{ type: "cancel" }, "idle"],
      [{ type: "check" }, "reading"],
      [failed("chain_unavailable"), "failed"],
      [{ type: "check" }, "reading"],
      [{ type: "checked", result }, "idle"],
    ] as const
  ) {
    state = nextCheck(state, event);
    deepEqual([state.step, state.result], [step, result]);
  }
});

Deno.test("checks follow each other at fixed intervals, whatever they find", async () => {
  const facts = new Map([["aa", { state: "waiting", later: 1 }]] as const);
  const outcomes = [
    () => Promise.resolve({ facts: new Map(), recovered: 0, unread: [] }),
    () => Promise.resolve({ facts, recovered: 1, unread: [] }),
    () => Promise.reject(new Problem("chain_unavailable")),
  ];
  let ring = () => {};
  let [checks, waits] = [0, 0];
  const flow = startFlow(
    checkMachine({
      check: () => outcomes[checks++ % outcomes.length](),
      checkSettlements: () => Promise.reject(new Error("the endpoint for deposits is asked")),
      waitForNext() {
        waits++;
        return new Promise((resolve) => ring = resolve);
      },
    }),
    { step: "idle" },
  );
  flow.send({ type: "side", side: "withdrawal" });
  const settle = async () => {
    for (let i = 0; i < 10; i++) await Promise.resolve();
  };
  for (let turn = 1; turn <= 6; turn++) {
    await settle();
    deepEqual([checks, waits], [turn, turn]);
    ring();
  }
  flow.stop();
});

Deno.test("a background check keeps the screen, and becomes visible when the user asks for one", () => {
  const problem = new Problem("chain_unavailable");
  const side = "withdrawal";
  const background = nextCheck({ step: "failed", side, problem }, { type: "check", isBackground: true });
  ok(background.step === "reading" && background.isBackground && background.problem === problem);
  const asked = nextCheck(background, { type: "check" });
  ok(asked.step === "reading" && !asked.isBackground);
  equal(nextCheck(asked, { type: "check", isBackground: true }), asked);
  const found = { facts: new Map(), recovered: 2, unread: [] };
  const counts = [true, false].map((isBackground) => {
    const reading = nextCheck({ step: "idle", side, result: found }, { type: "check", isBackground });
    return nextCheck(reading, { type: "checked", result: { ...found, recovered: 1 } }).result?.recovered;
  });
  deepEqual(counts, [3, 1]);
});

Deno.test("a visit that may ask no side sends nothing, and one side's check ends when the other's begins", async () => {
  const asked: string[] = [];
  const wait = (name: string, signal?: AbortSignal) => {
    asked.push(name);
    signal?.addEventListener("abort", () => asked.push(`${name} ended`));
    return new Promise<never>(() => {});
  };
  const flow = startFlow(
    checkMachine({
      check: ({ signal }) => wait("withdrawal", signal),
      checkSettlements: (signal) => wait("deposit", signal),
      waitForNext: () => wait("timer"),
    }),
    { step: "idle" },
  );
  const steps: [CheckSide | undefined, readonly string[]][] = [
    [undefined, []],
    ["withdrawal", ["withdrawal"]],
    [undefined, ["withdrawal ended"]],
    ["deposit", ["deposit"]],
    ["withdrawal", ["deposit ended", "withdrawal"]],
  ];
  for (const [side, expected] of steps) {
    flow.send({ type: "side", side });
    await Promise.resolve();
    deepEqual(asked.splice(0), expected);
  }
  flow.send({ type: "side", side: undefined });
  asked.length = 0;
  flow.send({ type: "check", isBackground: true });
  deepEqual(asked, []);
  flow.send({ type: "check" });
  deepEqual(asked, ["withdrawal"], "the user asked");
  flow.stop();
});

Deno.test("a check of the endpoint for deposits keeps the facts about notes that it does not report", () => {
  const known = new Map([["aa", { state: "deposited", later: 3 }], ["bb", { state: "waiting" }]] as const);
  const result = { facts: known, recovered: 1, unread: [] };
  const reading = nextCheck({ step: "idle", result }, { type: "side", side: "deposit" });
  const facts = new Map([["bb", { state: "deposited" }]] as const);
  const next = nextCheck(reading, { type: "checked", result: { facts, recovered: 0, unread: [] } });
  deepEqual([...next.result!.facts], [["aa", known.get("aa")], ["bb", { state: "deposited" }]]);
  equal(next.result!.recovered, 1);
});

const facts = { purpose: "p", amount: "1", depositor: "a", recipient: "b", depositedAt: 1, withdrawnAt: 2 };

Deno.test("a report has a purpose, is made, saved and checked, and every step goes back", () => {
  const events: ReportEvent[] = [
    { type: "make", id: "aa" },
    { type: "purpose", purpose: "  " },
    { type: "purpose", purpose: "Example Bank" },
    { type: "progress", fraction: 0.5 },
    failed("note_unspent"),
    { type: "purpose", purpose: "Example Bank" },
    { type: "made", name: "r.json", bytes },
    { type: "check", bytes },
    failed("invalid_report"),
    { type: "check", bytes },
    { type: "checked", facts, checks: [] },
    { type: "back" },
  ];
  deepEqual(steps<ReportState, ReportEvent>(nextReport, { step: "choose" }, events), [
    ...["purpose", "purpose", "making", "making", "purpose", "making", "made", "checking", "choose"],
    ...["checking", "checked", "choose"],
  ]);
});
