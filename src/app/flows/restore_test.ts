import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import { createIdentity } from "../../client/notes/note_encryption.ts";
import { startFlow } from "./machine.ts";
import {
  nextRestore,
  restorableFile,
  restorableText,
  type RestoreEvent,
  restoreMachine,
  type RestoreState,
} from "./restore.ts";

const passphrase = new Secret("correct horse battery");
const bytes = new Uint8Array([1]);
const failed = (code: ProblemCode) => ({ type: "failed", problem: new Problem(code) }) as const;
const steps = (events: readonly RestoreEvent[]) => {
  let state: RestoreState = { step: "choose" };
  return events.map((event) => (state = nextRestore(state, event)).step);
};

Deno.test("a restore asks for the passphrase, asks again if it is wrong, and returns from a bad file", () => {
  const source = { kind: "file", name: "notes.age", bytes } as const;
  const restored = { added: 1, known: 0, otherNetwork: 0 };
  deepEqual(
    steps([
      { type: "passphrase", passphrase },
      { type: "chosen", source, isNew: false },
      { type: "passphrase", passphrase },
      failed("wrong_passphrase"),
      { type: "passphrase", passphrase },
      failed("note_store_corrupted"),
      { type: "chosen", source, isNew: false },
      { type: "back" },
      { type: "chosen", source, isNew: false },
      { type: "passphrase", passphrase },
      { type: "restored", restored },
      { type: "back" },
    ]),
    [
      ...["choose", "passphrase", "opening", "passphrase", "opening", "choose", "passphrase", "choose"],
      ...["passphrase", "opening", "done", "done"],
    ],
  );
});

Deno.test("a file that is empty, of another kind or cut off is refused before a passphrase is asked", async () => {
  const { head } = await createIdentity(passphrase, 10);
  const whole = new TextEncoder().encode(head + head);
  const file = (bytes: Uint8Array) => ({ name: "notes.age", bytes });
  deepEqual(restorableFile(file(whole)), { kind: "file", ...file(whole) });
  const others = [new Uint8Array(), new TextEncoder().encode("holiday.jpg"), whole.subarray(0, -1)];
  for (const bytes of [...others, whole.subarray(0, head.length)]) {
    throws(() => restorableFile(file(bytes)), { code: "invalid_request" });
  }
});

Deno.test("a mistyped code is reported before a passphrase is chosen, and can be corrected", () => {
  const source = { kind: "text", text: new Secret("tonado-seed-wrong") } as const;
  const chosen = { type: "chosen", source, isNew: true } as const;
  let state = nextRestore({ step: "choose" }, chosen);
  equal(state.step, "checking");
  state = nextRestore(state, failed("invalid_seed"));
  ok(state.step === "choose" && state.problem?.code === "invalid_seed" && state.text === source.text);
  state = nextRestore(nextRestore(state, chosen), { type: "checked" });
  equal(state.step, "passphrase");
  const back = nextRestore(state, { type: "back" });
  ok(back.step === "choose" && back.text === source.text);
  const added = nextRestore(nextRestore({ step: "choose" }, { ...chosen, isNew: false }), {
    type: "checked",
  });
  equal(added.step, "opening", "an open store needs no passphrase");
});

Deno.test("a code in a browser without a store gets a new passphrase, drawn if the memory is too little", () => {
  const source = { kind: "text", text: passphrase } as const;
  const drawn = { type: "drawn", passphrase } as const;
  deepEqual(
    steps([
      ...[{ type: "chosen", source, isNew: true }, { type: "checked" }, { type: "draw" }, drawn] as const,
      { type: "back" },
      ...[{ type: "passphrase", passphrase }, failed("out_of_memory"), drawn] as const,
      ...[{ type: "passphrase", passphrase }, failed("invalid_note")] as const,
    ]),
    [
      "checking",
      "passphrase",
      "drawing",
      "drawn",
      "passphrase",
      "opening",
      "drawing",
      "drawn",
      "opening",
      "choose",
    ],
  );
  const file = {
    step: "passphrase",
    source: { kind: "file", name: "notes.age", bytes },
    isNew: false,
  } as const;
  equal(nextRestore(file, { type: "draw" }), file, "a file has its own");
});

Deno.test("a scanned or typed text is a paper code, or a recovery code or note", () => {
  const kinds = ["tonado-age:QUJD", " tonado-age:QUJD= ", "tonado-seed-1", "tonado2-native-10-testnet-0x"]
    .map((text) => restorableText(text).kind);
  deepEqual(kinds, ["code", "code", "text", "text"]);
});

Deno.test("a restore opens its source only after the passphrase was entered", async () => {
  const source = { kind: "code", code: "c" } as const;
  const restored = { added: 1, known: 0, otherNetwork: 0 };
  const opened: unknown[] = [];
  const flow = startFlow<RestoreState, RestoreEvent>(
    restoreMachine({
      check: () => Promise.resolve(),
      restore: (...args) => {
        opened.push(args);
        return Promise.resolve(restored);
      },
      draw: () => Promise.resolve(passphrase),
    }),
    { step: "choose" },
  );
  flow.send({ type: "chosen", source, isNew: false });
  deepEqual(opened, []);
  flow.send({ type: "passphrase", passphrase });
  equal(flow.state.step, "opening");
  await new Promise((resolve) => setTimeout(resolve, 0));
  deepEqual([flow.state, opened], [{ step: "done", restored }, [[source, passphrase]]]);
});
