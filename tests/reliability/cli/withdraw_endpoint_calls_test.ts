/** The requests of a relayed withdrawal to the chain endpoint, whose operator may have seen the deposit. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";
import { startRecordingEndpoint } from "../../support/endpoint/recording_endpoint.ts";

/** Deposits two notes, and returns a function that records the endpoint's requests during a withdrawal. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { net, networkFlags: at, env } = fixture;
  const relayer = stack.use(startRelayerProxy(fixture.api));
  const notes = await fixture.depositNotes(2);
  const first = notes.map(noteId)[0];
  const to = Address.parse(`0:${"3b".repeat(32)}`);

  /** Withdraws a note, and returns the indexes of the requests that name the recipient or the nullifier hash. */
  const run = async (note: typeof notes[number], flags: readonly string[], user?: TerminalUser) => {
    let submitted = Infinity;
    const before = relayer.requestedPaths.length;
    await using endpoint = startRecordingEndpoint(net.localnet.url, () => {
      if (submitted === Infinity && relayer.requestedPaths.slice(before).includes("/withdraw")) {
        submitted = endpoint.requests.length - 1;
      }
    });
    const args = ["withdraw", noteId(note), ...at, "--endpoint", endpoint.url, "--to", to.toString()];
    const result = await runCli([...args, "--relayer", relayer.url, ...flags], env, user);
    const { nullifierHash, commitment, nullifier, secret } = note;
    const naming = (...values: readonly string[]) =>
      endpoint.requests.flatMap(({ params }, i) => {
        const text = JSON.stringify(params).toLowerCase();
        return values.some((value) => text.includes(value.toLowerCase())) ? [i] : [];
      });
    const forms = (value: bigint) => [fieldToHex(value).slice(-60), String(value)];
    const secrets = [commitment, nullifier, secret].flatMap(forms);
    assert.deepEqual(naming(...secrets), [], "the deposit and the note's secrets are never named");
    const recipient = naming(
      to.hash.toString("hex"),
      ...[true, false].flatMap((bounceable) =>
        [true, false].flatMap((urlSafe) =>
          [true, false].map((testOnly) => to.toString({ bounceable, urlSafe, testOnly }))
        )
      ),
    );
    return { ...result, ...endpoint, submitted, recipient, nullifier: naming(...forms(nullifierHash)) };
  };
  const open = stack.move();
  return { first, at, env, run, notes, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado withdraw: queries to the endpoint", async (t) => {
  await using scene = await openScene();
  await namesNothingEarly(t, scene);
  await looksUpRecipient(t, scene);
  await skipsLookUp(t, scene);
  await t.step(
    "a paid withdrawal names the recipient before, and the nullifier hash before and after the submission",
    () => pays(scene),
  );
});

async function namesNothingEarly(t: Deno.TestContext, { first, at, env, run, notes }: Scene): Promise<void> {
  await t.step("missing flags are reported at once, without a request", async () => {
    const { code, stderr } = await runCli(["withdraw", first, ...at], env);
    assert.match(stderr, /\n {2}--to: is required: .*\n {2}--relayer: is required: .*\n/);
    assert.equal(code, 2);
    const { stderr: byOwn } = await runCli(["withdraw", first, ...at, "--self"], env);
    assert.match(byOwn, /--to: is required/);
    assert.doesNotMatch(byOwn, /--relayer: is required/);
  });

  await t.step("without a terminal, neither the recipient nor the nullifier hash is named", async () => {
    const { code, stderr, recipient, nullifier, requests } = await run(notes[0], []);
    assert.match(stderr, /standard input is not a terminal \[confirmation_required\]/);
    assert.ok(requests.length > 0, "the pool is read");
    assert.deepEqual([code, recipient, nullifier], [1, [], []], stderr);
  });
}

async function looksUpRecipient(t: Deno.TestContext, { run, notes }: Scene): Promise<void> {
  await t.step(
    "a declined withdrawal announces the look-up of the recipient, and names no nullifier hash",
    async () => {
      const { code, stderr, recipient, nullifier, requests, url } = await run(notes[0], [], {
        confirms: false,
      });
      assert.deepEqual([code, recipient.length, nullifier], [1, 1, []], stderr);
      assert.equal(requests[recipient[0]].method, "getAddressInformation");
      assert.match(stderr, /^asking (\S+) about the recipient, .* --no-recipient-check skips this$/m);
      assert.ok(stderr.includes(`asking ${url} `), stderr);
    },
  );

  await t.step("--quiet hides progress, but not the look-up of the recipient", async () => {
    const { stdout, stderr, recipient } = await run(notes[0], ["--quiet"], { confirms: false });
    assert.deepEqual([recipient.length, stdout], [1, ""]);
    assert.match(
      stderr,
      /^asking \S+ about the recipient, which reveals the address to it; --no-recipient-check/m,
    );
    assert.doesNotMatch(stderr, /deposits read|^asking \S+$/m);
  });
}

async function skipsLookUp(t: Deno.TestContext, { run, notes, first }: Scene): Promise<void> {
  await t.step(
    "with --no-recipient-check, a declined withdrawal names nothing, and the next step has the flag",
    async () => {
      const user = { confirms: false };
      const { code, stderr, recipient, nullifier } = await run(notes[0], ["--no-recipient-check"], user);
      assert.deepEqual([code, recipient, nullifier], [1, [], []], stderr);
      assert.doesNotMatch(stderr, /about the recipient, which/);
      assert.match(stderr, new RegExp(`to try again: tonado withdraw ${first} .* --no-recipient-check `));
    },
  );

  await t.step("with --no-recipient-check, a paid withdrawal never names the recipient", async () => {
    const flags = ["--no-recipient-check", "--yes", "--json"];
    const { code, stdout, stderr, recipient } = await run(notes[0], flags);
    assert.deepEqual([code, recipient], [0, []], stderr);
    const events = parseJsonLines(stdout);
    const warnings = events.filter(({ event }) => event === "warning").map(({ name }) => name);
    assert.deepEqual(warnings, ["recipient_unchecked", "few_deposits", "unknown_deposit"]);
    assert.equal(events.at(-1).paid, "950000000");
  });
}

async function pays({ run, notes }: Scene): Promise<void> {
  const { code, stderr, recipient, nullifier, submitted, requests } = await run(notes[1], ["--yes"]);
  assert.deepEqual([code, recipient.length], [0, 1], stderr);
  const before = nullifier.filter((i) => i < submitted);
  assert.ok(recipient[0] < submitted && nullifier.length > before.length);
  assert.ok(
    before.length === 1 && before[0] > recipient[0],
    "after the look-up, and so after the confirmation",
  );
  const params = nullifier.map((i) => requests[i].params as { method: string });
  assert.deepEqual([...new Set(params.map(({ method }) => method))], ["getIsSpent"]);
}
