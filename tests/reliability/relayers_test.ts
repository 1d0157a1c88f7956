/** A withdrawal through several relayers. Only the last one is honest. Servers, pool and proofs are real. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { fetchVerifiedTree } from "../../src/client/tree_sync.ts";
import { withdrawViaRelayers } from "../../src/client/withdrawal/relayed_withdrawal.ts";
import { RelayerClient } from "../../src/client/relayer/relayer_client.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const recipient = Address.parse(`0:${"42".repeat(32)}`);

/** Returns the false response of a dishonest relayer, or undefined for the honest one. */
type Lie = (path: string, honest: () => Promise<Response>) => Promise<Response> | Response | undefined;

const changed = async (
  honest: () => Promise<Response>,
  change: (body: Record<string, unknown>) => unknown,
) => {
  const response = await honest();
  return Response.json(change(await response.json()), { status: response.status });
};
/** The pool's root before its newest deposit, which is still one of the last 30. */
let earlierRoot = 0n;
const lies: Record<string, Lie> = {
  "a root that is not the pool's": (path, honest) =>
    path === "/tree/root" ? changed(honest, (body) => ({ ...body, root: "0x5" })) : undefined,
  "other leaves": (path, honest) =>
    path === "/tree/commitments"
      ? changed(honest, (body) => ({
        ...body,
        commitments: (body.commitments as { leafIndex: number }[]).map(({ leafIndex }) => ({
          leafIndex,
          commitment: "0x7",
        })),
      }))
      : undefined,
  "leaves without the newest": (path, honest) =>
    path === "/tree/commitments"
      ? changed(honest, (body) => ({
        ...body,
        count: 1,
        nextFrom: null,
        commitments: (body.commitments as unknown[]).slice(0, 1),
      }))
      : path === "/tree/root"
      ? changed(honest, () => ({ root: fieldToHex(earlierRoot) }))
      : undefined,
  "another network": (path, honest) =>
    path === "/status" ? changed(honest, (body) => ({ ...body, network: "testnet" })) : undefined,
  "a fee that takes nearly all of the note": (path, honest) =>
    path === "/status" ? changed(honest, (body) => ({ ...body, feeBps: 9500 })) : undefined,
  "accepted for ever": (path) =>
    path === "/withdraw"
      ? Response.json({}, { status: 202 })
      : path === "/withdraw/status"
      ? Response.json({ state: "accepted" })
      : undefined,
  "the note in use, for ever": (path) =>
    path === "/withdraw"
      ? Response.json({ code: "nullifier_already_used" }, { status: 409 })
      : path === "/withdraw/status"
      ? Response.json({ state: "accepted" })
      : undefined,
  "paid, when nothing is": (path) =>
    path === "/withdraw"
      ? Response.json({ seqno: 1, fee: "1" })
      : path === "/withdraw/status"
      ? Response.json({ state: "confirmed" })
      : undefined,
};

/** Deposits a note, and starts an honest relayer and one dishonest relayer for each kind. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start());
  const note = await net.deposit(KEY);
  earlierRoot = net.tree(KEY).root;
  await net.deposit(KEY);
  await net.untilIndexed(KEY);
  const servers = stack.use(new AsyncDisposableStack());
  const relayerThat = (lie: Lie): RelayerClient => {
    const { addr } = servers.use(Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => {
        const { pathname, search } = new URL(request.url);
        const forwarded = new Request(`http://relayer${pathname}${search}`, request);
        forwarded.headers.set("accept", "application/json"); // the lies alter JSON, not leaves as bytes
        const honest = () => net.request(forwarded);
        return lie(pathname, honest) ?? honest();
      },
    ));
    return new RelayerClient(`http://127.0.0.1:${addr.port}`, { maxAttempts: 1 });
  };
  const dead = new RelayerClient("http://127.0.0.1:9", { maxAttempts: 1 });
  const dishonest = Object.values(lies).map(relayerThat);
  const honest = relayerThat(() => undefined);
  const pool = net.contract(KEY);
  const request = {
    pool,
    poolKey: KEY,
    network: "localnet" as const,
    note,
    recipient,
    prover: net.prover,
    treeTimeoutMs: 0,
  };
  const options = { pollIntervalMs: 200, timeoutMs: 400 };
  const open = stack.move();
  return {
    dishonest,
    pool,
    honest,
    net,
    dead,
    request,
    options,
    note,
    relayerThat,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("client: among several relayers the honest one pays, and each other is reported with its fault", async (t) => {
  await using scene = await openScene();
  await refusesFalseTrees(t, scene);
  await t.step("a fee above the quote or the limit is refused", () => boundsFees(scene));
  await t.step(
    "an accepted withdrawal is followed for 190 s if another relayer is left, and for 610 s otherwise",
    () => followsForAWhile(scene),
  );
  await t.step("after a stale root, the client proves again, at most three times", () => provesAgain(scene));
  await t.step("the honest relayer pays, once", () => paysOnce(scene));
});

async function refusesFalseTrees(
  t: Deno.TestContext,
  { dishonest, pool, honest, net, dead, request, options, note }: Scene,
): Promise<void> {
  await t.step("a tree that does not match the pool is refused", async () => {
    await rejects(fetchVerifiedTree(dishonest[0], pool), { code: "relayer_unavailable" });
    await rejects(fetchVerifiedTree(dishonest[1], pool), { code: "relayer_unavailable" });
    await rejects(fetchVerifiedTree(dishonest[2], pool, { treeTimeoutMs: 0 }), { code: "tree_incomplete" });
    equal((await fetchVerifiedTree(honest, pool)).root, net.tree(KEY).root);
  });

  await t.step("each dishonest relayer is reported, and the note is unspent", async () => {
    const relayers = [dead, ...dishonest];
    await rejects(
      withdrawViaRelayers(relayers, request, options),
      (error: { code: string; message: string; errors: { pointer: string }[] }) => {
        equal(error.code, "relayer_unavailable");
        deepEqual(error.errors.map(({ pointer }) => pointer), relayers.map(({ baseUrl }) => baseUrl));
        match(error.message, /one that was submitted may still be carried out/);
        return true;
      },
    );
    equal(await pool.getIsSpent(note.nullifierHash), false);
  });
}

async function boundsFees({ honest, request, options, dead, pool, note }: Scene): Promise<void> {
  const floor = await honest.feeFloor(KEY);
  await rejects(
    withdrawViaRelayers([{ relayer: honest, fee: floor - 1n }], request, options),
    (error: { errors: { detail: string }[] }) => /it quoted a fee of/.test(error.errors[0].detail),
  );
  await rejects(
    withdrawViaRelayers([honest], { ...request, maxFee: floor - 1n }, options),
    (error: { code: string; errors: { detail: string }[] }) =>
      error.code === "fee_above_limit" && /GRAM is above the limit of/.test(error.errors[0].detail),
  );
  await rejects(withdrawViaRelayers([honest, dead], { ...request, maxFee: floor - 1n }, options), {
    code: "relayer_unavailable", // the unreachable one might have asked for less
    message: "no relayer accepted the withdrawal",
  });
  equal(await pool.getIsSpent(note.nullifierHash), false);
}

async function followsForAWhile({ dishonest, dead, request }: Scene): Promise<void> {
  let waited = 0;
  const clock = { now: () => waited, sleep: (ms: number) => (waited += ms, Promise.resolve()) };
  const never = dishonest[Object.keys(lies).indexOf("accepted for ever")];
  await rejects(withdrawViaRelayers([never, dead], request, { pollIntervalMs: 10_000, clock }), {
    code: "relayer_unavailable",
  });
  ok(waited <= 190_000, `${waited} ms for one after which another is left`);
  waited = 0;
  await rejects(withdrawViaRelayers([dead, never], request, { pollIntervalMs: 10_000, clock }), {
    code: "relayer_unavailable",
  });
  ok(waited > 500_000 && waited <= 610_000, `${waited} ms for the last one`);
}

async function provesAgain({ relayerThat, request, options }: Scene): Promise<void> {
  let stale = 0;
  let refusals = Infinity;
  const staleRoot = relayerThat((path) =>
    path === "/withdraw" && stale < refusals
      ? (stale++, Response.json({ code: "stale_root" }, { status: 422 }))
      : undefined
  );
  await rejects(withdrawViaRelayers([staleRoot], request, options), { code: "relayer_unavailable" });
  equal(stale, 3, "after a stale root, the client proves again, at most three times");
  [stale, refusals] = [0, 2];
  const proved: unknown[] = [];
  const stopped = new Error("third proof");
  await rejects(
    withdrawViaRelayers([staleRoot], {
      ...request,
      onProved: (_, args) =>
        Promise.resolve(void proved.push(args.proof)).then(() => {
          if (proved.length === 3) throw stopped;
        }),
    }, options),
    stopped,
  );
  equal(stale, 2);
}

async function paysOnce({ dead, dishonest, honest, request, pool, note, options }: Scene): Promise<void> {
  const { relayer, status } = await withdrawViaRelayers([dead, dishonest[1], honest], request, {
    pollIntervalMs: 200,
    timeoutMs: 120_000,
  });
  deepEqual([relayer.baseUrl, status.state], [honest.baseUrl, "confirmed"]);
  equal(await pool.getIsSpent(note.nullifierHash), true);
  await rejects(withdrawViaRelayers([honest], request, options), { code: "nullifier_already_used" });
}
