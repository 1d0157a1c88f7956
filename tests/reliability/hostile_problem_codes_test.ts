/**
 * Relayers that refuse with codes that would be final if the client itself had found them. The client tries
 * the next relayer after each of them, and no output claims that the note is spent. Servers, pool and proofs
 * are real.
 */
import { deepEqual, doesNotMatch, equal, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import {
  type RelayedWithdrawalRequest,
  withdrawViaRelayers,
} from "../../src/client/withdrawal/relayed_withdrawal.ts";
import { RelayerClient } from "../../src/client/relayer/relayer_client.ts";
import { resumeWithdrawal } from "../../src/client/withdrawal/withdrawal_resume.ts";
import { Problem, type ProblemCode, problems } from "../../src/core/errors/problem.ts";
import {
  type AnswerTransform,
  type RelayerProxy,
  startRelayerProxy,
} from "../support/relayer/relayer_proxy.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const recipient = Address.parse(`0:${"42".repeat(32)}`);
/** The codes that end a withdrawal if the client itself finds them. */
const final: readonly ProblemCode[] = [
  "nullifier_already_used",
  "fee_not_below_denomination",
  "invalid_address",
  "unpayable_recipient",
  "cancelled",
  "confirmation_required",
  "invalid_note",
  "wrong_pool",
  "constraints_unsatisfied",
];
const PHISHING = "Your note was spent already: paste it at http://evil.example to get it back";
/** Texts that would make a user give up an unspent note. */
const GIVEN_UP = /\bis spent|was spent|been withdrawn|evil\.example/;

const refusal = (code: ProblemCode) => {
  const { status, title } = problems[code];
  return Response.json({ code, title, detail: PHISHING, status }, { status });
};

/** Starts an honest relayer and relayers that refuse with final codes, and deposits three notes. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start());
  const notes = [await net.deposit(KEY), await net.deposit(KEY), await net.deposit(KEY)];
  await net.untilIndexed(KEY);
  const pool = net.contract(KEY);
  const api = (request: Request) => net.request(request);
  const proxies: RelayerProxy[] = [];
  const serve = (...args: [lie?: AnswerTransform, instead?: (path: string) => Response | undefined]) => {
    const relayer = startRelayerProxy(api, ...args);
    proxies.push(relayer);
    return relayer;
  };
  const client = ({ url }: RelayerProxy) => new RelayerClient(url, { maxAttempts: 1 });
  const request = (
    note: RelayedWithdrawalRequest["note"],
    more: Partial<RelayedWithdrawalRequest> = {},
  ): RelayedWithdrawalRequest => ({
    pool,
    poolKey: KEY,
    network: "localnet",
    note,
    recipient,
    prover: net.prover,
    treeTimeoutMs: 0,
    ...more,
  });
  const brief = { pollIntervalMs: 200, timeoutMs: 400 };
  const patient = { pollIntervalMs: 200, timeoutMs: 120_000 };
  const honest = serve();
  const refuseOn = (route: string) =>
    final.map((code) => serve(undefined, (path) => path === route ? refusal(code) : undefined));
  const claimAddress = (relayerAddress: string) =>
    serve((path, answer) => path === "/status" ? { ...answer, relayerAddress } : answer);

  const [note] = notes;
  const hostile: Record<string, RelayerProxy[]> = {
    "on /status": refuseOn("/status"),
    "on /tree/commitments": refuseOn("/tree/commitments"),
    "on /withdraw": refuseOn("/withdraw"),
    "an address that no pool pays": [
      claimAddress(pool.address.toString()),
      claimAddress(`7:${"11".repeat(32)}`),
    ],
    "a fee of the whole note": [
      serve((path, answer) => path === "/status" ? { ...answer, feeBps: 10_000 } : answer),
    ],
  };
  stack.defer(async () => {
    for (const relayer of proxies) await relayer[Symbol.asyncDispose]();
  });
  const open = stack.move();
  return {
    hostile,
    client,
    request,
    note,
    brief,
    pool,
    honest,
    patient,
    notes,
    serve,
    net,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("withdraw: no relayer's code ends a withdrawal, and only the chain decides that a note is spent", async (t) => {
  await using scene = await openScene();
  await passesOverRefusals(t, scene);
  await paysThroughHonest(t, scene);
  await refusesOwnMistakes(t, scene);
  await paidDespiteDenial(t, scene);
  await t.step("a resumed withdrawal is not ended by a relayer's code either", () => resumes(scene));
});

async function passesOverRefusals(
  t: Deno.TestContext,
  { hostile, client, request, note, brief, pool }: Scene,
): Promise<void> {
  for (const [what, all] of Object.entries(hostile)) {
    const relayers = what === "on /withdraw" ? all.slice(0, 2) : all; // each of these costs a proof
    await t.step(`${what}: each is reported with its fault, and the note is unspent`, async () => {
      await rejects(
        withdrawViaRelayers(relayers.map(client), request(note, { maxFee: 1_000_000_000n }), brief),
        (error) => {
          ok(error instanceof Problem);
          equal(error.code, "relayer_unavailable", error.message);
          deepEqual(error.errors.map(({ pointer }) => pointer), relayers.map(({ url }) => url));
          for (const { detail } of error.errors) doesNotMatch(detail, GIVEN_UP);
          return true;
        },
      );
      equal(await pool.getIsSpent(note.nullifierHash), false);
    });
  }

  await t.step("a relayer's claim that the note is in use is checked on the chain", async () => {
    const [lying] = hostile["on /withdraw"];
    await rejects(withdrawViaRelayers([client(lying)], request(note), brief), (error) => {
      ok(error instanceof Problem);
      ok(/the pool does not report it as spent/.test(error.errors[0].detail), error.errors[0].detail);
      return true;
    });
  });
}

async function paysThroughHonest(
  t: Deno.TestContext,
  { hostile, honest, client, request, note, patient, pool, brief }: Scene,
): Promise<void> {
  await t.step("after all of them, the honest relayer pays", async () => {
    const all = [...Object.values(hostile).flat(), honest].map(client);
    const { relayer, status } = await withdrawViaRelayers(all, request(note), patient);
    deepEqual([relayer.baseUrl, status.state], [honest.url, "confirmed"]);
    equal(await pool.getIsSpent(note.nullifierHash), true);
    ok(
      hostile["on /withdraw"].every(({ requestedPaths: requests }) => requests.includes("/withdraw")),
      "each relayer is tried",
    );
  });

  await t.step(
    "a note that is spent on the chain is refused",
    () =>
      rejects(withdrawViaRelayers([client(honest)], request(note), brief), {
        code: "nullifier_already_used",
      }),
  );
}

async function refusesOwnMistakes(
  t: Deno.TestContext,
  { client, honest, request, notes, brief, pool }: Scene,
): Promise<void> {
  await t.step(
    "a fee of the whole denomination that the caller chooses is the caller's mistake",
    () =>
      rejects(
        withdrawViaRelayers(
          [client(honest)],
          request(notes[1], { chooseFee: () => 1_000_000_000n, maxFee: 1_000_000_000n }),
          brief,
        ),
        { code: "fee_not_below_denomination" },
      ),
  );

  const unpaid: [recipient: Address, code: ProblemCode][] = [
    [pool.address, "unpayable_recipient"],
    [Address.parse(`5:${"42".repeat(32)}`), "invalid_address"],
  ];
  for (const [recipient, code] of unpaid) {
    await t.step(
      `a recipient that no pool pays is the caller's mistake: ${code}`,
      () => rejects(withdrawViaRelayers([client(honest)], request(notes[1], { recipient }), brief), { code }),
    );
  }
}

async function paidDespiteDenial(
  t: Deno.TestContext,
  { serve, honest, client, request, notes, patient, pool }: Scene,
): Promise<void> {
  await t.step("a relayer that pays and reports a failure has paid", async () => {
    const denying = serve((path, answer) =>
      path === "/withdraw/status" && answer.state === "confirmed"
        ? { ...answer, state: "failed", reason: PHISHING, txHash: null }
        : answer
    );
    const { relayer, status } = await withdrawViaRelayers(
      [denying, honest].map(client),
      request(notes[1]),
      patient,
    );
    deepEqual([relayer.baseUrl, status.state], [denying.url, "confirmed"]);
  });

  await t.step("a relayer that submits the proof late and then fails to respond has paid", async () => {
    let paid = false;
    const silent = serve(
      undefined,
      (path) =>
        path !== "/withdraw/status"
          ? undefined
          : paid
          ? refusal("internal")
          : Response.json({ state: "accepted" }),
    );
    const follow = {
      pollIntervalMs: 200,
      timeoutMs: 120_000,
      async sleep(ms: number) {
        paid = await pool.getIsSpent(notes[2].nullifierHash);
        await new Promise((resolve) => setTimeout(resolve, ms));
      },
    };
    const { relayer, status } = await withdrawViaRelayers(
      [silent, honest].map(client),
      request(notes[2]),
      follow,
    );
    deepEqual([relayer.baseUrl, status.state], [silent.url, "confirmed"]);
  });
}

async function resumes(
  { net, hostile, client, request, brief, pool, honest, patient }: Scene,
): Promise<void> {
  const fresh = await net.deposit(KEY);
  await net.untilIndexed(KEY);
  const journaled: { withdrawal?: Parameters<typeof resumeWithdrawal>[1]["journal"] } = {};
  const [refuses] = hostile["on /withdraw"];
  await rejects(withdrawViaRelayers(
    [client(refuses)],
    request(fresh, {
      onProved: (relayer, { proof, publicSignals, recipient, fee, refund }) => {
        journaled.withdrawal = {
          relayer: relayer.baseUrl,
          recipient: recipient.toRawString(),
          fee: String(fee),
          refund: String(refund),
          request: { proof, publicSignals },
          at: 0,
        };
        return Promise.resolve();
      },
    }),
    brief,
  ));
  const journal = journaled.withdrawal!;
  await rejects(
    resumeWithdrawal(client(refuses), { pool, note: fresh, journal }, brief),
    { code: "relayer_unavailable" },
  );
  equal(await resumeWithdrawal(client(honest), { pool, note: fresh, journal }, patient), true);
}
