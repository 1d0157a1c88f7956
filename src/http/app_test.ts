/** What the API answers without a chain: information, shapes, policy, and every kind of bad input. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import fc from "fast-check";
import { mnemonicNew } from "@ton/crypto";
import { addressToField } from "../core/address_field.ts";
import { parseDeployments } from "../core/deployments.ts";
import { FIELD_MODULUS } from "../core/field.ts";
import { problems } from "../core/errors.ts";
import { startRelayer } from "../relay/relayer.ts";
import { openKvStore } from "../store/kv/kv_store.ts";
import { rootLog } from "../telemetry/log.ts";
import { connect } from "../ton/toncenter.ts";
import { openWallet } from "../ton/wallet.ts";
import { createApp } from "./app.ts";

// Nobody listens there: pools stay not ready, and everything that must answer all the same is asked.
const chain = connect({ endpoint: "http://127.0.0.1:9/api/v2/jsonRPC", attempts: 1 });
const wallet = await openWallet((await mnemonicNew()).join(" "), {
  version: "v4R2",
  network: "localnet",
  chain,
});
const pool = Address.parse(`0:${"ab".repeat(32)}`);
const stranger = Address.parse(`0:${"cd".repeat(32)}`);
const recipient = Address.parse(`-1:${"11".repeat(32)}`);
const deployments = parseDeployments({
  network: "localnet",
  pools: {
    "native-10": {
      address: pool.toRawString(),
      asset: "native",
      amount: "10",
      denomination: "10000000000",
      deployedSeqno: 7,
      codeHash: "00".repeat(32),
      vkeyHash: "11".repeat(32),
      owner: null,
      maxRefund: "100000000",
    },
  },
});

async function withApp(act: (ask: Ask) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "tonado-http-" });
  const relayer = startRelayer({
    config: { network: "localnet", fee: { bps: 50, minNano: 50_000_000n }, indexer: {} },
    chain,
    wallet,
    store: await openKvStore(directory),
    prover: { verify: () => Promise.reject(new Error("no proof gets so far here")) },
    vkeyHash: "11".repeat(32),
    deployments,
    log: rootLog(),
  });
  const app = createApp(relayer, rootLog());
  try {
    await act(async (path, init) => {
      const response = await app.request(path, init);
      return { response, status: response.status, body: await response.json().catch(() => undefined) };
    });
  } finally {
    await relayer.close();
    await Deno.remove(directory, { recursive: true });
  }
}

// deno-lint-ignore no-explicit-any
type Answer = { response: Response; status: number; body: any };
type Ask = (path: string, init?: RequestInit) => Promise<Answer>;

const post = (body: unknown, type = "application/json"): RequestInit => ({
  method: "POST",
  headers: { "content-type": type },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

function isProblem({ response, status, body }: Answer, code: keyof typeof problems, pointer?: string): void {
  equal(body?.code, code, JSON.stringify(body));
  equal(status, problems[code].status);
  equal(body.status, status);
  equal(response.headers.get("content-type"), "application/problem+json");
  for (const member of ["type", "title", "detail"]) equal(typeof body[member], "string");
  if (pointer !== undefined) {
    ok(
      body.errors.some((error: { pointer: string }) => error.pointer === pointer),
      JSON.stringify(body.errors),
    );
  }
}

const fee = "50000000";
const payload = {
  pool: pool.toString(),
  proof: {
    pi_a: ["1", "2", "1"],
    pi_b: [["1", "2"], ["3", "4"], ["1", "0"]],
    pi_c: ["5", "6", "1"],
    protocol: "groth16",
    curve: "bls12381",
  },
  publicSignals: [
    "5",
    "6",
    String(addressToField(recipient)),
    String(addressToField(wallet.address)),
    fee,
    "0",
  ],
  recipient: recipient.toString(),
  fee,
  refund: "0",
};
/** The payload with one member changed, by JSON pointer; undefined removes it. */
function altered(pointer: string, value: unknown): unknown {
  const copy = structuredClone(payload);
  const path = pointer.split("/").slice(1);
  // deno-lint-ignore no-explicit-any
  const parent = path.slice(0, -1).reduce((node: any, part) => node[part], copy);
  if (value === undefined) delete parent[path.at(-1)!];
  else parent[path.at(-1)!] = value;
  return copy;
}
const signal = (index: number, value: unknown, also: Record<string, unknown> = {}) => ({
  ...altered(`/publicSignals/${index}`, value) as typeof payload,
  ...also,
});

Deno.test("http: /status and /pools answer as the interface says while no pool is ready", () =>
  withApp(async (ask) => {
    deepEqual((await ask("/status")).body, {
      network: "localnet",
      feeBps: 50,
      feeMinNanoNative: "50000000",
      relayerAddress: wallet.address.toString({ bounceable: false, testOnly: true }),
    });
    const { network, pools } = (await ask("/pools")).body;
    equal(network, "localnet");
    deepEqual(pools["native-10"], {
      address: pool.toString({ bounceable: true, testOnly: true }),
      asset: "native",
      amount: "10",
      denomination: "10000000000",
      deployedSeqno: 7,
      feeMin: "50000000",
      maxRefund: "100000000",
    });
  }));

const notJson: unknown[] = [
  null,
  true,
  1,
  1.5,
  -1,
  1e300,
  [],
  {},
  [["1"]],
  "",
  " ",
  "-1",
  "+1",
  "1e3",
  "1.0",
  "0x",
  "１",
];
const shapes: [pointer: string, values: unknown[]][] = [
  ["/pool", [undefined, ...notJson, "0:zz", "x".repeat(5_000)]],
  ["/recipient", [undefined, ...notJson, `5:${"11".repeat(32)}`, pool.toString()]],
  ["/proof", [undefined, ...notJson.filter((value) => JSON.stringify(value) !== "{}")]],
  ["/proof/pi_a", [undefined, null, {}, "1", [], ["1"], ["1", "2", "1", "1"]]],
  ["/proof/pi_a/0", [null, -1, 1.5, 2 ** 53, 1e300, "", "-1", "1e3", "01", "1".repeat(116), [], {}]],
  ["/proof/pi_b", [undefined, null, "1", [["1", "2"]]]],
  ["/proof/pi_b/1", [null, "1", ["1"], ["1", "2", "3"]]],
  ["/proof/pi_b/1/0", [null, "one"]],
  ["/proof/pi_c", [undefined, 5]],
  ["/proof/protocol", [undefined, null, "plonk", "Groth16"]],
  ["/proof/curve", [undefined, "bn128", "BLS12381"]],
  ["/publicSignals", [undefined, null, "1", {}, [], payload.publicSignals.slice(1), [
    ...payload.publicSignals,
    "1",
  ]]],
  ["/publicSignals/0", [null, 5, "", "-1", "1e3", "0x", "1".repeat(79), `0x${"1".repeat(65)}`]],
  ["/fee", [undefined, ...notJson, "050000000", "1".repeat(79), 50_000_000]],
  ["/refund", [undefined, ...notJson, "00"]],
];
Deno.test("http: /withdraw refuses every member that is missing or of another shape, naming it", () =>
  withApp(async (ask) => {
    for (const [pointer, values] of shapes) {
      for (const value of values) {
        const answer = await ask("/withdraw", post(altered(pointer, value)));
        equal(answer.status, 400, `${pointer} = ${JSON.stringify(value)}`);
        isProblem(answer, "invalid_request");
        const named = answer.body.errors.some((error: { pointer: string }) =>
          error.pointer.startsWith(pointer)
        );
        ok(named, `${pointer} = ${JSON.stringify(value)}: ${JSON.stringify(answer.body.errors)}`);
      }
    }
  }));

const r = String(FIELD_MODULUS);
const policies: [code: keyof typeof problems, what: string, body: unknown][] = [
  ["unknown_pool", "a pool that is not registered", altered("/pool", stranger.toString())],
  ["relayer_mismatch", "another relayer", signal(3, "1")],
  ["relayer_mismatch", "no relayer", signal(3, "0")],
  ["recipient_mismatch", "another recipient", altered("/recipient", stranger.toString())],
  ["fee_mismatch", "a fee that was not proved", altered("/fee", "50000001")],
  ["refund_mismatch", "a refund that was not proved", altered("/refund", "1")],
  ["fee_below_floor", "a fee one nano below the floor", signal(4, "49999999", { fee: "49999999" })],
  [
    "fee_not_below_denomination",
    "a fee of the denomination",
    signal(4, "10000000000", { fee: "10000000000" }),
  ],
  ["refund_above_limit", "a refund one nano above the gift", signal(5, "100000001", { refund: "100000001" })],
  ...[0, 1, 2, 3, 4, 5].map((index): [keyof typeof problems, string, unknown] => [
    "not_in_field",
    `signal ${index} of r`,
    signal(index, r),
  ]),
  ["not_in_field", "signal 0 of 2^256 - 1 in hex", signal(0, `0x${"f".repeat(64)}`)],
  ["not_in_field", "a fee of r", altered("/fee", r)],
  ["not_ready", "a good payload, while the pool is not ready", payload],
  [
    "not_ready",
    "a refund that the fee pays for",
    signal(5, "200000000", {
      refund: "200000000",
      fee: "250000000",
      publicSignals: payload.publicSignals.with(4, "250000000").with(5, "200000000"),
    }),
  ],
  ["not_ready", "hex signals, a raw address and unknown members", {
    ...payload,
    pool: pool.toRawString().toUpperCase(),
    publicSignals: payload.publicSignals.map((text) => `0x${BigInt(text).toString(16).toUpperCase()}`),
    extra: { deep: [1] },
  }],
];
for (const [code, what, body] of policies) {
  Deno.test(`http: /withdraw answers ${code} to ${what}`, () =>
    withApp(async (ask) => isProblem(await ask("/withdraw", post(body)), code)));
}

/** Every place in the payload that a client could get wrong, by JSON pointer. */
function pointersOf(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, inner]) => pointersOf(inner, `${at}/${name}`))];
}
Deno.test("http: whatever stands anywhere in a body, the answer is a documented problem and never a 500", () =>
  withApp(async (ask) => {
    const documented = (await ask("/openapi.json")).body.paths;
    const pointers = pointersOf(payload).filter((pointer) => pointer !== "");
    const junk = fc.oneof(
      fc.jsonValue(),
      fc.bigInt().map(String),
      fc.string({ unit: "binary", maxLength: 200 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("/withdraw", "/withdraw/status", "/note/check"),
        fc.constantFrom(...pointers),
        junk,
        async (path, pointer, value) => {
          const body = { ...altered(pointer, value) as object, nullifierHash: "0x6" };
          const { status, body: answer } = await ask(path, post(body));
          ok(status >= 400 && status !== 500, `${status} ${JSON.stringify(answer)}`);
          match(documented[path].post.responses[status].description, new RegExp(`\`${answer.code}\``));
        },
      ),
      { numRuns: 400 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("/withdraw", "/note/check"), junk, async (path, value) => {
        const { body: answer } = await ask(path, post(JSON.stringify(value) ?? ""));
        ok(["invalid_request", "secret_in_body"].includes(answer.code), JSON.stringify(answer));
      }),
      { numRuns: 200 },
    );
  }));

const noteBodies: [code: keyof typeof problems, pointer: string | undefined, body: unknown][] = [
  ["invalid_request", "", { pool: payload.pool }],
  ["invalid_request", "/pool", { commitment: "0x1" }],
  ["invalid_request", "/commitment", { pool: payload.pool, commitment: "1" }],
  ["invalid_request", "/commitment", { pool: payload.pool, commitment: 1 }],
  ["invalid_request", "/commitment", { pool: payload.pool, commitment: null, nullifierHash: "0x1" }],
  ["invalid_request", "/nullifierHash", { pool: payload.pool, nullifierHash: `0x${"0".repeat(65)}` }],
  ["not_in_field", undefined, { pool: payload.pool, commitment: `0x${FIELD_MODULUS.toString(16)}` }],
  ["not_in_field", undefined, { pool: payload.pool, nullifierHash: `0x${"f".repeat(64)}` }],
  ["unknown_pool", undefined, { pool: stranger.toString(), nullifierHash: "0x1" }],
  ["not_ready", undefined, { pool: payload.pool, nullifierHash: "0x1" }],
  ["invalid_request", "", []],
  ["invalid_request", "", null],
  ["invalid_request", "", "5"],
  ["invalid_request", "", "{"],
  ["invalid_request", "", ""],
  ["invalid_request", "", "[".repeat(30_000)],
];
Deno.test("http: /note/check answers every bad body with its problem", () =>
  withApp(async (ask) => {
    for (const [code, pointer, body] of noteBodies) {
      isProblem(await ask("/note/check", post(body)), code, pointer);
    }
  }));

Deno.test("http: /withdraw/status knows no withdrawal that was never submitted", () =>
  withApp(async (ask) => {
    const status = (body: unknown) => ask("/withdraw/status", post(body));
    isProblem(await status({ pool: payload.pool, nullifierHash: "0x6" }), "withdrawal_not_found");
    isProblem(await status({ pool: stranger.toString(), nullifierHash: "0x6" }), "unknown_pool");
    isProblem(await status({ pool: payload.pool }), "invalid_request", "/nullifierHash");
    isProblem(await status({ pool: payload.pool, nullifierHash: `0x${"f".repeat(64)}` }), "not_in_field");
  }));

const address = encodeURIComponent(payload.pool);
const queries: [code: keyof typeof problems, pointer: string | undefined, path: string][] = [
  ["invalid_request", "pool", "/tree/root"],
  ["invalid_request", "pool", "/tree/root?pool="],
  ["invalid_request", "pool", `/tree/root?pool=${address}&pool=${address}`],
  ["unknown_pool", undefined, `/tree/root?pool=${encodeURIComponent(stranger.toString())}`],
  ["not_ready", undefined, `/tree/root?pool=${address}`],
  ["invalid_request", "commitment", `/tree/path?pool=${address}`],
  ["invalid_request", "commitment", `/tree/path?pool=${address}&commitment=5`],
  ["not_in_field", undefined, `/tree/path?pool=${address}&commitment=0x${"f".repeat(64)}`],
  ...["-1", "1.5", "1e3", "", "x", "01", "9".repeat(400)].map((from): typeof queries[number] => [
    "invalid_request",
    "from",
    `/tree/commitments?pool=${address}&from=${from}`,
  ]),
  ...["0", "-1", "1.5", "1e3", "", "x"].map((limit): typeof queries[number] => [
    "invalid_request",
    "limit",
    `/tree/commitments?pool=${address}&limit=${limit}`,
  ]),
  ["not_ready", undefined, `/tree/commitments?pool=${address}&limit=${"9".repeat(400)}`],
  ["invalid_request", "pool", "/tree/root?pool=%ff%"],
  ["invalid_request", "pool", "/tree/root?pool=%00"],
  ["invalid_request", "pool", `/tree/root?pool[]=${address}`],
  ["secret_in_body", undefined, `/tree/root?pool=${address}&note=x`],
];
Deno.test("http: the tree routes answer every bad query with its problem", () =>
  withApp(async (ask) => {
    for (const [code, pointer, path] of queries) isProblem(await ask(path), code, pointer);
  }));

const noteText = `tonado-native-10-localnet-0x${"5".repeat(124)}`;
const leaks: [what: string, body: unknown][] = [
  ["a member `note`", { ...payload, note: "x" }],
  ["a member `secret`", { ...payload, secret: 1 }],
  ["a nested member `Nullifier`", { ...payload, proof: { ...payload.proof, deep: [{ Nullifier: null }] } }],
  ["a note string as a value", { ...payload, extra: [noteText] }],
  ["a note string as a name", { ...payload, [noteText]: 1 }],
  ["a note string in a body that is no JSON", `{"x":"${noteText}"`],
  ["the bare secrets of a note", { ...payload, extra: `0x${"5".repeat(124)}` }],
];
for (const [what, body] of leaks) {
  Deno.test(`http: a body with ${what} is refused on every route, and not repeated`, () =>
    withApp(async (ask) => {
      for (const path of ["/withdraw", "/withdraw/status", "/note/check"]) {
        const answer = await ask(path, post(body));
        isProblem(answer, "secret_in_body");
        ok(!JSON.stringify(answer.body).includes("5".repeat(20)));
      }
    }));
}

Deno.test("http: another method is 405 with Allow, another path 404", () =>
  withApp(async (ask) => {
    const { response, ...answer } = await ask("/withdraw");
    isProblem({ response, ...answer }, "method_not_allowed");
    equal(response.headers.get("allow"), "POST");
    const wrong = await ask("/status", post({}));
    isProblem(wrong, "method_not_allowed");
    equal(wrong.response.headers.get("allow"), "GET, HEAD");
    isProblem(await ask("/status", { method: "DELETE" }), "method_not_allowed");
    for (const path of ["/", "/status/", "/Status", "/withdraw/x", `/${"a".repeat(9_000)}`, "/%00", "/%ff"]) {
      isProblem(await ask(path), "not_found");
    }
  }));

Deno.test("http: a body of another media type is 415, a body over 32 KiB 413", () =>
  withApp(async (ask) => {
    const text = JSON.stringify(payload);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]) {
      isProblem(await ask("/withdraw", post(text, type)), "unsupported_media_type");
    }
    isProblem(await ask("/withdraw", post(text, "application/json; charset=utf-8")), "not_ready");
    const padding = (length: number) => text.slice(0, -1) + " ".repeat(length - text.length) + "}";
    isProblem(await ask("/withdraw", post(padding(32 * 1024))), "not_ready");
    isProblem(await ask("/withdraw", post(padding(32 * 1024 + 1))), "body_too_large");
    const stream = new Blob([padding(40_000)]).stream();
    isProblem(
      await ask("/withdraw", { ...post(""), body: stream, duplex: "half" } as RequestInit),
      "body_too_large",
    );
  }));

Deno.test("http: 503 carries Retry-After, every answer an id and CORS for browsers", () =>
  withApp(async (ask) => {
    const { response } = await ask(`/tree/root?pool=${address}`);
    match(response.headers.get("retry-after")!, /^[1-9][0-9]*$/);
    for (const path of ["/status", "/nowhere", "/tree/root"]) {
      const { headers } = (await ask(path)).response;
      equal(headers.get("access-control-allow-origin"), "*");
      match(headers.get("x-request-id")!, /^[0-9a-f-]{36}$/);
    }
    const preflight = await ask("/withdraw", {
      method: "OPTIONS",
      headers: { origin: "https://wallet.example", "access-control-request-method": "POST" },
    });
    equal(preflight.status, 204);
    match(preflight.response.headers.get("access-control-allow-methods")!, /POST/);
    match(preflight.response.headers.get("access-control-allow-headers")!, /content-type/);
  }));

Deno.test("http: /livez is alive while /readyz names the pool that is not ready and why", () =>
  withApp(async (ask) => {
    deepEqual((await ask("/livez")).body, { status: "alive" });
    const { status, body } = await ask("/readyz");
    equal(status, 503);
    equal(body.ready, false);
    equal(typeof body.pools["native-10"].reason, "string");
  }));

Deno.test("http: /openapi.json documents every route and each code that it may answer with", () =>
  withApp(async (ask) => {
    const { body } = await ask("/openapi.json");
    equal(body.openapi, "3.1.0");
    deepEqual(Object.keys(body.paths).sort(), [
      "/livez",
      "/note/check",
      "/pools",
      "/readyz",
      "/status",
      "/tree/commitments",
      "/tree/path",
      "/tree/root",
      "/withdraw",
      "/withdraw/status",
    ]);
    const answers = body.paths["/withdraw"].post.responses;
    for (const [code] of policies) {
      match(answers[problems[code].status].description, new RegExp(`\`${code}\``));
    }
  }));
