/** Every kind of bad input to the API, and the problem that the API returns for it. */
import { equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { problems } from "../../src/core/errors/problem.ts";
import { propertyParameters } from "../../testkit/random/property_runs.ts";
import { alterPayload, isProblem, payload, pool, post, signal, unknownPool, withApi } from "./api_harness.ts";

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
  ["/pool", [
    undefined,
    ...notJson,
    "0:zz",
    "x".repeat(5_000),
    `1e3:${"00".repeat(32)}`,
    `9999999999:${"00".repeat(32)}`,
  ]],
  ["/recipient", [
    undefined,
    ...notJson,
    "9".repeat(100),
    "0:" + "1".repeat(5_000),
    `5:${"11".repeat(32)}`,
    pool.toString(),
  ]],
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
Deno.test("/withdraw refuses every member that is missing or of another shape, naming it", () =>
  withApi(async (ask) => {
    for (const [pointer, values] of shapes) {
      for (const value of values) {
        const answer = await ask("/withdraw", post(alterPayload(pointer, value)));
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
  ["unknown_pool", "a pool that is not registered", alterPayload("/pool", unknownPool.toString())],
  ["relayer_mismatch", "another relayer", signal(3, "1")],
  ["relayer_mismatch", "no relayer", signal(3, "0")],
  ["recipient_mismatch", "another recipient", alterPayload("/recipient", unknownPool.toString())],
  ["fee_mismatch", "a fee that was not proved", alterPayload("/fee", "50000001")],
  ["refund_mismatch", "a refund that was not proved", alterPayload("/refund", "1")],
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
  ["not_in_field", "a fee of r", alterPayload("/fee", r)],
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
  Deno.test(`/withdraw answers ${code} to ${what}`, () =>
    withApi(async (ask) => isProblem(await ask("/withdraw", post(body)), code)));
}

/** Returns every member of the payload that a client could get wrong, by JSON pointer. */
function pointersOf(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, inner]) => pointersOf(inner, `${at}/${name}`))];
}
Deno.test("any value anywhere in a body gives a documented problem and never a 500", () =>
  withApi(async (ask) => {
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
          const body = { ...alterPayload(pointer, value) as object, nullifierHash: "0x6" };
          const { status, body: answer } = await ask(path, post(body));
          ok(status >= 400 && status !== 500, `${status} ${JSON.stringify(answer)}`);
          match(documented[path].post.responses[status].description, new RegExp(`\`${answer.code}\``));
        },
      ),
      propertyParameters(400),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("/withdraw", "/note/check"), junk, async (path, value) => {
        const { body: answer } = await ask(path, post(JSON.stringify(value) ?? ""));
        ok(["invalid_request", "secret_in_body"].includes(answer.code), JSON.stringify(answer));
      }),
      propertyParameters(200),
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
  ["unknown_pool", undefined, { pool: unknownPool.toString(), nullifierHash: "0x1" }],
  ["not_ready", undefined, { pool: payload.pool, nullifierHash: "0x1" }],
  ["invalid_request", "", []],
  ["invalid_request", "", null],
  ["invalid_request", "", "5"],
  ["invalid_request", "", "{"],
  ["invalid_request", "", ""],
  ["invalid_request", "", "[".repeat(30_000)],
];
Deno.test("/note/check answers every bad body with its problem", () =>
  withApi(async (ask) => {
    for (const [code, pointer, body] of noteBodies) {
      isProblem(await ask("/note/check", post(body)), code, pointer);
    }
  }));

Deno.test("/withdraw/status does not find a withdrawal that was never submitted", () =>
  withApi(async (ask) => {
    const status = (body: unknown) => ask("/withdraw/status", post(body));
    isProblem(await status({ pool: payload.pool, nullifierHash: "0x6" }), "withdrawal_not_found");
    isProblem(await status({ pool: unknownPool.toString(), nullifierHash: "0x6" }), "unknown_pool");
    isProblem(await status({ pool: payload.pool }), "invalid_request", "/nullifierHash");
    isProblem(await status({ pool: payload.pool, nullifierHash: `0x${"f".repeat(64)}` }), "not_in_field");
  }));

const address = encodeURIComponent(payload.pool);
const queries: [code: keyof typeof problems, pointer: string | undefined, path: string][] = [
  ["invalid_request", "pool", "/tree/root"],
  ["invalid_request", "pool", "/tree/root?pool="],
  ["invalid_request", "pool", `/tree/root?pool=${address}&pool=${address}`],
  ["unknown_pool", undefined, `/tree/root?pool=${encodeURIComponent(unknownPool.toString())}`],
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
Deno.test("the tree routes answer every bad query with its problem", () =>
  withApi(async (ask) => {
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
  Deno.test(`a body with ${what} is refused on every route, and not repeated`, () =>
    withApi(async (ask) => {
      for (const path of ["/withdraw", "/withdraw/status", "/note/check"]) {
        const answer = await ask(path, post(body));
        isProblem(answer, "secret_in_body");
        ok(!JSON.stringify(answer.body).includes("5".repeat(20)));
      }
    }));
}

const mediaTypes = [
  "text/plain",
  "text/json",
  "application/jsonx",
  "application/vnd.api+json",
  "application/a9+json",
  "application/json ; charset=utf-8",
  "application/json;",
  "application/json; charset",
  "application/json, text/plain",
  "multipart/form-data",
];
Deno.test("a body of another media type, or one that is malformed, is 415 and never a 500", () =>
  withApi(async (ask) => {
    for (const type of mediaTypes) {
      for (const path of ["/withdraw", "/withdraw/status", "/note/check"]) {
        isProblem(await ask(path, post(payload, type)), "unsupported_media_type");
      }
    }
  }));

Deno.test("a body that ends early is the client's error", () =>
  withApi(async (ask) => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error("connection reset")),
    });
    isProblem(await ask("/withdraw", { ...post(""), body }), "invalid_request");
  }));
