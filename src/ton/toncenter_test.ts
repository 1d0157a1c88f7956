import assert from "node:assert/strict";
import { Address, beginCell, Cell, loadTransaction, storeTransaction, toNano } from "@ton/core";
import { Problem, type ProblemCode } from "../core/errors.ts";
import { startLocalnet } from "../localnet/localnet.ts";
import type { Chain } from "./chain.ts";
import { endpointUrl } from "./json_rpc.ts";
import type { Timer } from "./scheduler.ts";
import { connect } from "./toncenter.ts";
import { openWallet } from "./wallet.ts";

const stranger = Address.parse("0:" + "ab".repeat(32));

/** Time that stands still but for who waits. */
function testTimer(): Timer & { waits: number[] } {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    wait(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

type Responder = (
  method: string,
  params: Record<string, unknown>,
  tries: number,
) => Response | Promise<Response>;

/** A chain behind an endpoint that answers as it likes. */
function hostile(respond: Responder, options: Partial<Parameters<typeof connect>[0]> = {}) {
  const timer = testTimer();
  const asked: { method: string; params: Record<string, unknown>; headers: Headers }[] = [];
  const chain = connect({
    endpoint: "https://endpoint.test",
    apiKey: "key",
    requestsPerSecond: Infinity,
    random: () => 0,
    timer,
    fetch: async (_url, init) => {
      const { method, params } = JSON.parse(String(init!.body));
      asked.push({ method, params, headers: new Headers(init!.headers) });
      return await respond(method, params, asked.length);
    },
    ...options,
  });
  return { chain, asked, timer };
}

const ok = (result: unknown) => Response.json({ ok: true, result });
const failed = (code: number, error = "broken") =>
  Response.json({ ok: false, error, code }, { status: code });
const masterchain = (seqno: unknown) => ok({ last: { seqno } });

function problem(code: ProblemCode, message = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  };
}

Deno.test("an endpoint is given with or without its path", () => {
  const whole = "https://testnet.toncenter.com/api/v2/jsonRPC";
  for (const path of ["", "/", "/api/v2", "/api/v2/", "/api/v2/jsonRPC", "/api/v2/jsonRPC/"]) {
    assert.equal(endpointUrl(`https://testnet.toncenter.com${path}`).href.replace(/\/$/, ""), whole);
  }
  assert.equal(endpointUrl("http://host/prefix?x=1").href, "http://host/prefix/api/v2/jsonRPC?x=1");
  for (const bad of ["", "toncenter.com", "ftp://host/", "file:///etc/passwd"]) {
    assert.throws(() => endpointUrl(bad), problem("invalid_config"));
  }
});

Deno.test("the block of a time is looked up on the masterchain; a localnet answers with the first since then", async () => {
  const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
  try {
    const chain = connect({ endpoint: net.url, attempts: 1 });
    const { now } = (await chain.transactions(net.relayer.address, { limit: 1 }))[0];
    await net.setNow(now + 1000);
    const later = await chain.masterchainSeqno();
    for (const time of [now + 1000, now + 500]) assert.equal(await chain.masterchainSeqnoAt(time), later);
    assert.ok(await chain.masterchainSeqnoAt(now) < later);
    await assert.rejects(chain.masterchainSeqnoAt(now + 1_000_000));
  } finally {
    await net.close();
  }
});

Deno.test("the key goes into its header, and to nobody who redirects", async () => {
  let redirect: string | undefined;
  const { chain, asked } = hostile(() => masterchain(7), {});
  assert.equal(await chain.masterchainSeqno(), 7);
  assert.equal(asked[0].headers.get("x-api-key"), "key");
  const other = connect({
    endpoint: "https://endpoint.test",
    apiKey: "key",
    fetch: (_url, init) => {
      redirect = init?.redirect;
      return Promise.resolve(masterchain(1));
    },
  });
  await other.masterchainSeqno();
  assert.equal(redirect, "error");
});

const temporary: [string, () => Response | Promise<Response>][] = [
  ["429", () => failed(429)],
  ["500", () => failed(500)],
  ["503 without JSON", () => new Response("<html>down</html>", { status: 503 })],
  ["200 with an error in it", () => Response.json({ ok: false, error: "x", code: 502 })],
  ["truncated JSON", () => new Response('{"ok": true, "result": {"las')],
  ["no answer in it", () => Response.json([1, 2])],
  ["a lost connection", () => Promise.reject(new TypeError("connection reset"))],
];
for (const [what, answer] of temporary) {
  Deno.test(`after ${what} the request is tried again, ever later, and succeeds`, async () => {
    const { chain, timer } = hostile((_method, _params, tries) => tries < 4 ? answer() : masterchain(9));
    assert.equal(await chain.masterchainSeqno(), 9);
    const backOff = timer.waits.filter((ms) => ms > 0);
    assert.ok(backOff.includes(250) && backOff.includes(1000), String(backOff));
  });

  Deno.test(`${what} for ever is chain_unavailable after five tries`, async () => {
    const { chain, asked } = hostile(answer);
    await assert.rejects(chain.masterchainSeqno(), problem("chain_unavailable", /endpoint\.test/));
    assert.equal(asked.length, 5);
  });
}

Deno.test("a request that is wrong is not tried again", async () => {
  const { chain, asked } = hostile(() => failed(422, "wrong address"));
  await assert.rejects(chain.account(stranger), problem("chain_unavailable", /422: wrong address/));
  assert.equal(asked.length, 1);
});

Deno.test("an answer that never comes is given up after the timeout", async () => {
  const { chain } = hostile(
    () => new Promise(() => {}),
    {
      attempts: 1,
      timeoutMs: 5,
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => {
          init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason));
        }),
    },
  );
  await assert.rejects(chain.masterchainSeqno(), problem("chain_unavailable", /no answer within 5 ms/));
});

Deno.test("Retry-After stops every request for so long", async () => {
  const { chain, timer } = hostile((_method, _params, tries) =>
    tries > 1 ? masterchain(1) : new Response("{}", { status: 429, headers: { "retry-after": "7" } })
  );
  await chain.masterchainSeqno();
  assert.ok(timer.now() >= 7000, String(timer.now()));
});

const rates: [string, Partial<Parameters<typeof connect>[0]>, number][] = [
  ["1 a second without a key", { apiKey: undefined }, 1000],
  ["10 a second with one", {}, 100],
  ["as many as one likes on this machine", { endpoint: "http://127.0.0.1:1", apiKey: undefined }, 0],
  ["what is asked for", { requestsPerSecond: 4 }, 250],
];
for (const [what, options, interval] of rates) {
  Deno.test(`requests start at the endpoint's rate: ${what}`, async () => {
    const { chain, timer } = hostile(() => masterchain(1), { requestsPerSecond: undefined, ...options });
    await Promise.all([1, 2, 3, 4].map(() => chain.masterchainSeqno()));
    assert.equal(timer.now(), 3 * interval);
  });
}

Deno.test("an answer without end is given up", async () => {
  const chunk = new Uint8Array(2 ** 20).fill(32);
  let given = 0;
  const { chain } = hostile(() =>
    new Response(
      new ReadableStream({
        pull(controller) {
          given++;
          controller.enqueue(chunk);
        },
      }),
    )
  );
  await assert.rejects(chain.masterchainSeqno(), problem("chain_unavailable", /too long/));
  assert.ok(given < 64);
});

Deno.test("a key in the endpoint's URL is in no message", async () => {
  const { chain } = hostile(() => failed(403, "no"), { endpoint: "https://endpoint.test/v2?api_key=s3cret" });
  await assert.rejects(chain.masterchainSeqno(), (error: Problem) => {
    assert.equal(error.code, "chain_unavailable");
    assert.doesNotMatch(error.message, /s3cret/);
    return true;
  });
});

Deno.test("an abort ends the call with `cancelled`, before and while it runs", async () => {
  const { chain, asked } = hostile(() => masterchain(1));
  await assert.rejects(chain.masterchainSeqno({ signal: AbortSignal.abort() }), problem("cancelled"));
  assert.equal(asked.length, 0);
  const controller = new AbortController();
  const running = hostile(() => masterchain(1), {
    fetch: (_url, init) => {
      controller.abort();
      return Promise.reject(init!.signal!.reason);
    },
  });
  await assert.rejects(running.chain.masterchainSeqno({ signal: controller.signal }), problem("cancelled"));
});

Deno.test("what an endpoint says is shortened and stripped of control characters", async () => {
  const { chain } = hostile(() => failed(400, "\u001b[2Jevil\n" + "x".repeat(5000)));
  await assert.rejects(chain.masterchainSeqno(), (error: Problem) => {
    assert.ok(error.message.length < 500);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(error.message, /[\u0000-\u001f]/);
    return true;
  });
});

const account = {
  balance: "5",
  state: "uninitialized",
  code: "",
  data: "",
  last_transaction_id: { lt: "0", hash: Buffer.alloc(32).toString("base64") },
  sync_utime: 1,
};
const illFormed: [string, (chain: Chain) => Promise<unknown>, unknown][] = [
  ["a seqno that is a string", (chain) => chain.masterchainSeqno(), { last: { seqno: "1" } }],
  ["a negative seqno", (chain) => chain.masterchainSeqno(), { last: { seqno: -1 } }],
  ["an account without a balance", (chain) => chain.account(stranger), { ...account, balance: undefined }],
  ["a negative balance", (chain) => chain.account(stranger), { ...account, balance: "-5" }],
  ["a balance with an exponent", (chain) => chain.account(stranger), { ...account, balance: "1e9" }],
  ["an unknown state", (chain) => chain.account(stranger), { ...account, state: "asleep" }],
  ["an active account without code", (chain) => chain.account(stranger), { ...account, state: "active" }],
  ["code that is no bag of cells", (chain) => chain.account(stranger), { ...account, code: "AAAA" }],
  ["a hash of 31 bytes", (chain) => chain.account(stranger), {
    ...account,
    last_transaction_id: { lt: "1", hash: Buffer.alloc(31).toString("base64") },
  }],
  ["transactions that are no list", (chain) => chain.transactions(stranger, { limit: 1 }), {}],
  ["a stack that is no list", (chain) => chain.get(stranger, "x"), { exit_code: 0, stack: "num" }],
  ["a number that is none", (chain) => chain.get(stranger, "x"), { exit_code: 0, stack: [["num", "0xzz"]] }],
  ["a config without bytes", (chain) => chain.configParam(18), { config: {} }],
];
for (const [what, ask, result] of illFormed) {
  Deno.test(`an answer with ${what} is chain_inconsistent`, async () => {
    await assert.rejects(ask(hostile(() => ok(result)).chain), problem("chain_inconsistent"));
  });
}

Deno.test("an account that was never there is uninitialized and has nothing", async () => {
  for (const balance of ["-1", -1, "0", 0]) {
    const info = await hostile(() => ok({ ...account, balance })).chain.account(stranger);
    assert.deepEqual(info, { state: "uninitialized", balance: 0n, syncUtime: 1 });
  }
});

Deno.test("a get method's exit code comes as a member", async () => {
  const { chain } = hostile(() => ok({ exit_code: 11, stack: [] }));
  await assert.rejects(chain.get(stranger, "unknown"), (error: Problem) => {
    assert.equal(error.code, "contract_refused");
    assert.deepEqual(error.members, { exitCode: 11 });
    return true;
  });
});

Deno.test("a stack of every type is read, nested tuples too", async () => {
  const cell = beginCell().storeUint(7, 8).endCell();
  const bytes = cell.toBoc().toString("base64");
  const number = (value: string) => ({
    "@type": "tvm.stackEntryNumber",
    number: { "@type": "tvm.numberDecimal", number: value },
  });
  const { chain } = hostile(() =>
    ok({
      exit_code: 0,
      stack: [
        ["num", "-0x10"],
        ["cell", { bytes }],
        ["list", { "@type": "tvm.list", elements: [] }],
        ["tuple", {
          "@type": "tvm.tuple",
          elements: [number("12"), {
            "@type": "tvm.stackEntryTuple",
            tuple: { elements: [number("-1"), { "@type": "tvm.stackEntryCell", cell: { bytes } }] },
          }],
        }],
      ],
    })
  );
  const stack = await chain.get(stranger, "everything");
  assert.equal(stack.readBigNumber(), -16n);
  assert.ok(stack.readCell().equals(cell));
  assert.equal(stack.readCellOpt(), null);
  const tuple = stack.readTuple();
  assert.equal(tuple.readBigNumber(), 12n);
  const inner = tuple.readTuple();
  assert.equal(inner.readBigNumber(), -1n);
  assert.ok(inner.readCell().equals(cell));
});

Deno.test("an external message that its account refuses is contract_refused, at once", async () => {
  const text =
    "LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not " +
    "accepted\nCannot run message on account: inbound external message rejected by account " +
    `0:${"AB".repeat(32)}: exitcode=33, steps=21, gas_used=0`;
  const { chain, asked } = hostile(() => failed(500, text));
  await assert.rejects(chain.send(Cell.EMPTY), (error: Problem) => {
    assert.equal(error.code, "contract_refused");
    assert.deepEqual(error.members, { exitCode: 33 });
    return true;
  });
  assert.equal(asked.length, 1);
});

Deno.test("an external message that is there already is sent", async () => {
  const { chain, asked } = hostile(() => failed(500, "LITE_SERVER_UNKNOWN: duplicate message"));
  await chain.send(Cell.EMPTY);
  assert.equal(asked.length, 1);
});

Deno.test("transactions are believed by their own cells", async (t) => {
  const net = await startLocalnet({ blockTimeMs: 0 });
  const honest = connect({ endpoint: net.url });
  const [{ mnemonic, version }, other] = net.wallets;
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain: honest });
  for (let i = 1n; i <= 4n; i++) {
    await wallet.send([{ to: other.address, value: toNano("1") * i, bounce: false }]);
  }
  const rows = await fetch(net.url.replace("jsonRPC", `getTransactions?address=${wallet.address}&limit=10`))
    .then((response) => response.json()).then(({ result }) => result);
  const strange = await fetch(net.url.replace("jsonRPC", `getTransactions?address=${other.address}&limit=10`))
    .then((response) => response.json()).then(({ result }) => result);
  await net.close();

  const page = (answer: unknown) =>
    hostile(() => ok(answer)).chain.transactions(wallet.address, { limit: 100 });
  const genuine = await page(rows);
  const altered = (row: { data: string }) => {
    const transaction = loadTransaction(Cell.fromBase64(row.data).beginParse());
    transaction.now += 1;
    return beginCell().store(storeTransaction(transaction)).endCell();
  };

  await t.step("the honest page: newest first, linked, ending at the account's first", () => {
    assert.equal(genuine.length, 5);
    for (const [i, { id, prev, raw }] of genuine.entries()) {
      assert.deepEqual(prev, genuine[i + 1]?.id ?? null);
      assert.equal(raw.hash().toString("hex"), id.hash);
      assert.equal(raw.lt, id.lt);
    }
  });

  const forgeries: [string, unknown, RegExp][] = [
    [
      "a transaction's cell is altered",
      [{ ...rows[0], data: altered(rows[0]).toBoc().toString("base64") }],
      /hash/,
    ],
    ["a cell is another transaction's", [{ ...rows[0], data: rows[1].data }], /hash/],
    ["the logical time is another", [{
      ...rows[0],
      transaction_id: { ...rows[0].transaction_id, lt: "1" },
    }], /not the one asked for/],
    ["the transaction is another account's", [strange[0]], /not the one asked for/],
    ["one in the middle is left out", [rows[0], rows[2]], /do not link/],
    ["two are in the other order", [rows[1], rows[0]], /do not link/],
    ["one is given twice", [rows[0], rows[0]], /do not link/],
    ["the cell is no transaction", [{
      data: Cell.EMPTY.toBoc().toString("base64"),
      transaction_id: { lt: "1", hash: Cell.EMPTY.hash().toString("base64") },
    }], /not the one asked for/],
    ["the cell is cut off", [{ ...rows[0], data: rows[0].data.slice(0, 100) }], /bag of cells/],
  ];
  for (const [what, answer, message] of forgeries) {
    await t.step(`refused: ${what}`, async () => {
      await assert.rejects(page(answer), problem("chain_inconsistent", message));
    });
  }

  const from = genuine[1].id;
  const since = (answer: unknown) =>
    hostile(() => ok(answer)).chain.transactions(wallet.address, { limit: 100, from });
  await t.step("a page from a transaction starts with it", async () => {
    assert.deepEqual((await since(rows.slice(1))).map(({ id }) => id), genuine.slice(1).map(({ id }) => id));
  });
  await t.step("refused: a page that starts elsewhere, or is empty", async () => {
    await assert.rejects(since(rows), problem("chain_inconsistent", /do not link/));
    await assert.rejects(since(rows.slice(2)), problem("chain_inconsistent", /do not link/));
    await assert.rejects(since([]), problem("chain_inconsistent", /does not know/));
  });
});

Deno.test("what is asked patiently waits behind all else, of every kind of call", async () => {
  const { chain, asked } = hostile(() => failed(400), { requestsPerSecond: 1 });
  const patient = { patient: true };
  const calls = [
    chain.masterchainSeqno(), // these start before the others are there
    chain.masterchainSeqno(),
    chain.get(stranger, "getDenomination", [], patient),
    chain.account(stranger, patient),
    chain.configParam(20, patient),
    chain.get(stranger, "get_root_history"),
    chain.transactions(stranger, { limit: 1 }),
    chain.account(stranger),
  ];
  await Promise.allSettled(calls);
  assert.deepEqual(asked.map(({ method, params }) => params.method ?? method), [
    "getMasterchainInfo",
    "getMasterchainInfo",
    "getAddressInformation",
    "getTransactions",
    "get_root_history",
    "getDenomination",
    "getAddressInformation",
    "getConfigParam",
  ]);
});
