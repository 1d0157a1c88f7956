import assert from "node:assert/strict";
import { Address, beginCell, Cell, loadTransaction, storeTransaction, toNano } from "@ton/core";
import {
  matchesProblem,
  rpcError,
  rpcResult,
  scriptedChain,
} from "../../../tests/support/endpoint/scripted_endpoint.ts";
import type { Problem } from "../../core/errors/problem.ts";
import { startLocalnet } from "../../localnet/localnet.ts";
import type { Chain } from "../chain.ts";
import { connect } from "./toncenter.ts";
import { openWallet } from "../wallet/wallet.ts";

const stranger = Address.parse("0:" + "ab".repeat(32));

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
  ["code that is not a bag of cells", (chain) => chain.account(stranger), { ...account, code: "AAAA" }],
  ["a hash of 31 bytes", (chain) => chain.account(stranger), {
    ...account,
    last_transaction_id: { lt: "1", hash: Buffer.alloc(31).toString("base64") },
  }],
  ["transactions that are no list", (chain) => chain.transactions(stranger, { limit: 1 }), {}],
  ["a stack that is not a list", (chain) => chain.runGetMethod(stranger, "x"), {
    exit_code: 0,
    stack: "num",
  }],
  ["a number that is none", (chain) => chain.runGetMethod(stranger, "x"), {
    exit_code: 0,
    stack: [["num", "0xzz"]],
  }],
  ["a config without bytes", (chain) => chain.configParam(18), { config: {} }],
];
for (const [what, ask, result] of illFormed) {
  Deno.test(`an answer with ${what} is chain_inconsistent`, async () => {
    await assert.rejects(
      ask(scriptedChain(() => rpcResult(result)).chain),
      matchesProblem("chain_inconsistent"),
    );
  });
}

Deno.test("an account that was never there is uninitialized and has nothing", async () => {
  for (const balance of ["-1", -1, "0", 0]) {
    const info = await scriptedChain(() => rpcResult({ ...account, balance })).chain.account(stranger);
    assert.deepEqual(info, { state: "uninitialized", balance: 0n, syncUtime: 1 });
  }
});

Deno.test("a 542 in the middle of a history is answered without `archival` at once, and remembered for ten minutes", async () => {
  const asked: unknown[] = [];
  const { chain, clock } = scriptedChain((_method, { archival }, tries) => {
    asked.push(archival);
    return archival && tries > 1 ? rpcError(542, "no workers available (archival=true)") : rpcResult([]);
  }, { attempts: 1 });
  const read = () => chain.transactions(stranger, { limit: 1 });
  for (let page = 1; page <= 3; page++) await read();
  assert.deepEqual(asked, [true, true, undefined, undefined]);
  await clock.sleep(10 * 60_000 - 1);
  await read();
  assert.equal(clock.waits.length, 1, "no retry has waited");
  await clock.sleep(1);
  await read();
  assert.deepEqual(asked.slice(4), [undefined, true, undefined]);
});

Deno.test("a 542 without `archival`, or to another method, is an error like any other", async () => {
  const { chain, requests } = scriptedChain(() => rpcError(542, "no workers available"), { attempts: 2 });
  await assert.rejects(
    chain.transactions(stranger, { limit: 1 }),
    matchesProblem("chain_unavailable", /542/),
  );
  assert.deepEqual(requests.map(({ params }) => params.archival), [true, undefined, undefined]);
  await assert.rejects(chain.runGetMethod(stranger, "x"), matchesProblem("chain_unavailable", /542/));
});

Deno.test("a get method's exit code comes as a member", async () => {
  const { chain } = scriptedChain(() => rpcResult({ exit_code: 11, stack: [] }));
  await assert.rejects(chain.runGetMethod(stranger, "unknown"), (error: Problem) => {
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
  const { chain } = scriptedChain(() =>
    rpcResult({
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
  const stack = await chain.runGetMethod(stranger, "everything");
  assert.equal(stack.readBigNumber(), -16n);
  assert.ok(stack.readCell().equals(cell));
  assert.equal(stack.readCellOpt(), null);
  const tuple = stack.readTuple();
  assert.equal(tuple.readBigNumber(), 12n);
  const inner = tuple.readTuple();
  assert.equal(inner.readBigNumber(), -1n);
  assert.ok(inner.readCell().equals(cell));
});

Deno.test("a transaction must match its hash", async (t) => {
  const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
  const honest = connect({ endpoint: net.url });
  const [{ mnemonic, version }, other] = net.wallets;
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain: honest });
  for (let i = 1n; i <= 4n; i++) {
    await wallet.send([{ to: other.address, value: toNano("1") * i, bounce: false }]);
  }
  const rows = await fetch(net.url.replace("jsonRPC", `getTransactions?address=${wallet.address}&limit=10`))
    .then((response) => response.json()).then(({ result }) => result);
  const foreign = await fetch(net.url.replace("jsonRPC", `getTransactions?address=${other.address}&limit=10`))
    .then((response) => response.json()).then(({ result }) => result);
  await net.close();

  const page = (answer: unknown) =>
    scriptedChain(() => rpcResult(answer)).chain.transactions(wallet.address, { limit: 100 });
  const genuine = await page(rows);
  await t.step("the honest page: newest first, linked, ending at the account's first", () => {
    assert.equal(genuine.length, 5);
    for (const [i, { id, prev, raw }] of genuine.entries()) {
      assert.deepEqual(prev, genuine[i + 1]?.id ?? null);
      assert.equal(raw.hash().toString("hex"), id.hash);
      assert.equal(raw.lt, id.lt);
    }
  });

  for (const [what, answer, message] of forgedPages(rows, foreign[0])) {
    await t.step(`refused: ${what}`, async () => {
      await assert.rejects(page(answer), matchesProblem("chain_inconsistent", message));
    });
  }

  const from = genuine[1].id;
  const since = (answer: unknown) =>
    scriptedChain(() => rpcResult(answer)).chain.transactions(wallet.address, { limit: 100, from });
  await t.step("a page from a transaction starts with it", async () => {
    assert.deepEqual((await since(rows.slice(1))).map(({ id }) => id), genuine.slice(1).map(({ id }) => id));
  });
  await t.step("refused: a page that starts elsewhere, or is empty", async () => {
    await assert.rejects(since(rows), matchesProblem("chain_inconsistent", /do not link/));
    await assert.rejects(since(rows.slice(2)), matchesProblem("chain_inconsistent", /do not link/));
    await assert.rejects(since([]), matchesProblem("chain_inconsistent", /does not know/));
  });
});

interface TransactionRow {
  readonly data: string;
  readonly transaction_id: { readonly lt: string; readonly hash: string };
}

/** Pages that differ from the genuine `rows`, with the reason of their refusal. */
function forgedPages(
  rows: readonly TransactionRow[],
  foreign: TransactionRow,
): [forgery: string, page: unknown, reason: RegExp][] {
  return [
    [
      "a transaction's cell is altered",
      [{ ...rows[0], data: alterTransaction(rows[0]).toBoc().toString("base64") }],
      /hash/,
    ],
    ["a cell is another transaction's", [{ ...rows[0], data: rows[1].data }], /hash/],
    ["the logical time is another", [{
      ...rows[0],
      transaction_id: { ...rows[0].transaction_id, lt: "1" },
    }], /not the requested one/],
    ["the transaction is another account's", [foreign], /not the requested one/],
    ["one in the middle is left out", [rows[0], rows[2]], /do not link/],
    ["two are in the other order", [rows[1], rows[0]], /do not link/],
    ["one is given twice", [rows[0], rows[0]], /do not link/],
    ["the cell is not a transaction", [{
      data: Cell.EMPTY.toBoc().toString("base64"),
      transaction_id: { lt: "1", hash: Cell.EMPTY.hash().toString("base64") },
    }], /not the requested one/],
    ["the cell is cut off", [{ ...rows[0], data: rows[0].data.slice(0, 100) }], /bag of cells/],
  ];
}

function alterTransaction(row: TransactionRow): Cell {
  const transaction = loadTransaction(Cell.fromBase64(row.data).beginParse());
  transaction.now += 1;
  return beginCell().store(storeTransaction(transaction)).endCell();
}
