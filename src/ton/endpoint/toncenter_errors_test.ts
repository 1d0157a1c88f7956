import assert from "node:assert/strict";
import { Address, Cell } from "@ton/core";
import {
  rpcError,
  rpcResult,
  scriptedChain,
  silentFetch,
} from "../../../tests/support/endpoint/scripted_endpoint.ts";
import type { Problem } from "../../core/errors/problem.ts";
import { Pool } from "../pool/pool.ts";

const stranger = Address.parse("0:" + "ab".repeat(32));
const forms = [
  ["mainnet", stranger.toString()],
  ["testnet", stranger.toString({ testOnly: true })],
  [undefined, stranger.toRawString()],
] as const;

for (const [network, form] of forms) {
  Deno.test(`errors show addresses in the form of ${network ?? "an unknown network"}`, async () => {
    const { chain } = scriptedChain(() => rpcResult({ exit_code: 11, stack: [] }), { network });
    await assert.rejects(chain.runGetMethod(stranger, "x"), {
      message: `x of ${form} ended with exit code 11`,
    });
    const { chain: shapeless } = scriptedChain(() => rpcResult({ exit_code: 0, stack: [] }), { network });
    await assert.rejects(new Pool(shapeless, stranger).getIsSpent(1n), {
      message: `getIsSpent of ${form} returned a malformed result`,
    });
  });
}

Deno.test("an external message that its account refuses is contract_refused, at once", async () => {
  const text =
    "LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not " +
    "accepted\nCannot run message on account: inbound external message rejected by account " +
    `0:${"AB".repeat(32)}: exitcode=33, steps=21, gas_used=0`;
  const { chain, requests } = scriptedChain(() => rpcError(500, text));
  await assert.rejects(chain.send(Cell.EMPTY), (error: Problem) => {
    assert.equal(error.code, "contract_refused");
    assert.deepEqual(error.members, { exitCode: 33 });
    return true;
  });
  assert.equal(requests.length, 1);
});

/** ton-blockchain/ton `validator/impl/ext-message-pool.cpp` and `ext-message-checker.cpp`: the node, not the account. */
const overloads = [
  `LITE_SERVER_UNKNOWN: cannot apply external message to current state : too many external messages to address 0:AB`,
  "LITE_SERVER_NOTREADY: cannot apply external message to current state : too many pending external message checks",
  "LITE_SERVER_NOTREADY: cannot apply external message to current state : not ready",
  "LITE_SERVER_TIMEOUT: cannot apply external message to current state : timeout",
];
for (const text of overloads) {
  Deno.test(`a lite server that is busy is asked again: ${text}`, async () => {
    const { chain, requests } = scriptedChain((_method, _params, tries) =>
      tries < 3 ? rpcError(500, text) : rpcResult({})
    );
    await chain.send(Cell.EMPTY);
    assert.equal(requests.length, 3);
    const busy = scriptedChain(() => rpcError(500, text));
    await assert.rejects(busy.chain.send(Cell.EMPTY), {
      code: "chain_unavailable",
      members: { mayHaveArrived: true }, // toncenter sends to several lite servers
    });
  });
}

const unknownOutcomes: [string, Parameters<typeof scriptedChain>][] = [
  ["after the time limit", [() => rpcError(400), { attempts: 1, timeoutMs: 5, fetch: silentFetch }]],
  ["after a response that is too large", [() => new Response("x".repeat(33 * 2 ** 20))]],
  ["if an attempt before a certain failure has an unknown one", [
    (_method, _params, tries) => rpcError(tries === 1 ? 503 : 403),
  ]],
];
for (const [what, scripted] of unknownOutcomes) {
  Deno.test(`an external message may have arrived ${what}`, async () => {
    await assert.rejects(scriptedChain(...scripted).chain.send(Cell.EMPTY), {
      code: "chain_unavailable",
      members: { mayHaveArrived: true },
    });
  });
}

Deno.test("an external message that is there already is sent", async () => {
  const { chain, requests } = scriptedChain(() => rpcError(500, "LITE_SERVER_UNKNOWN: duplicate message"));
  await chain.send(Cell.EMPTY);
  assert.equal(requests.length, 1);
});
