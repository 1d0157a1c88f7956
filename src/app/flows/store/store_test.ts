/** When the keys of an open store are closed, and when the app locks by itself. */
import { deepEqual } from "node:assert/strict";
import { Problem } from "../../../core/errors/problem.ts";
import { Secret } from "../../../core/text/secret.ts";
import { startFlow } from "../machine.ts";
import { type StoreEvent, storeMachine, type StoreState } from "./store.ts";

const passphrase = new Secret("correct horse battery");

function openedStore(initial: StoreState<string>) {
  const closed: string[] = [];
  const opening = Promise.withResolvers<string>();
  const replaced = Promise.withResolvers<void>();
  const flow = startFlow<StoreState<string>, StoreEvent<string>>(
    storeMachine({
      findStore: () => Promise.resolve({ type: "not_found" }),
      draw: () => Promise.resolve(passphrase),
      create: () => opening.promise,
      open: () => opening.promise,
      close: (session) => closed.push(session),
      whenReplaced: () => replaced.promise,
    }),
    initial,
  );
  return { closed, flow, opening, replaced };
}

for (const type of ["lock", "erased"] as const) {
  Deno.test(`an open store is closed on "${type}"`, () => {
    const { closed, flow } = openedStore({ step: "open", session: "s" });
    deepEqual(closed, []);
    flow.send({ type });
    deepEqual(closed, ["s"]);
  });
}

for (
  const [initial, type] of [
    [{ step: "opening", passphrase, hasPasskey: false }, "back"],
    [{ step: "opening", passphrase, hasPasskey: false }, "lock"],
    [{ step: "opening", passphrase, hasPasskey: false }, "erased"],
    [{ step: "creating", passphrase }, "erased"],
  ] as const
) {
  Deno.test(`a store that opens after "${type}" ended the step ${initial.step} is closed again`, async () => {
    const { closed, flow, opening } = openedStore(initial);
    flow.send({ type });
    opening.resolve("s");
    await opening.promise;
    await Promise.resolve();
    deepEqual(closed, ["s"]);
  });
}

Deno.test("a store that opens in time stays open", async () => {
  const { closed, flow, opening } = openedStore({ step: "opening", passphrase, hasPasskey: false });
  opening.resolve("s");
  await opening.promise;
  await Promise.resolve();
  deepEqual([flow.state.step, closed], ["open", []]);
});

Deno.test("a store that another tab has replaced locks and says so until the user locks it", async () => {
  const { closed, flow, replaced } = openedStore({ step: "open", session: "s" });
  replaced.resolve();
  await replaced.promise;
  await Promise.resolve();
  deepEqual([flow.state, closed], [{ step: "locked", isReplaced: true }, ["s"]]);
  flow.send({ type: "found", hasPasskey: false });
  flow.send({ type: "passphrase", passphrase });
  flow.send({ type: "failed", problem: new Problem("wrong_passphrase") });
  deepEqual("isReplaced" in flow.state && flow.state.isReplaced, true);
  flow.send({ type: "lock" });
  deepEqual(flow.state, { step: "locked", hasPasskey: false });
});
