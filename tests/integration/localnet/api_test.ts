/** The API of a localnet as clients of toncenter use it. */
import assert from "node:assert/strict";
import {
  Address,
  beginCell,
  type Cell,
  comment,
  external,
  internal,
  SendMode,
  storeMessage,
} from "@ton/core";
import { mnemonicToPrivateKey } from "@ton/crypto";
import { TonClient, WalletContractV4, WalletContractV5R1 } from "@ton/ton";
import type { Localnet } from "../../../src/localnet/localnet.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { get, post, stranger, withLocalnet } from "../../support/localnet/localnet.ts";

/** Opens the client of @ton/ton and returns it with one wallet of each version. */
function openClient(net: Localnet) {
  const client = new TonClient({ endpoint: net.url });
  const [v4, v5] = net.wallets;
  return { v4, v5, client };
}

type Clients = ReturnType<typeof openClient>;

Deno.test("@ton/ton's TonClient works unchanged", (t) =>
  withLocalnet({}, async (net) => {
    const clients = openClient(net);
    await sendsFromNewAccounts(t, clients);
    await readsHistory(t, clients);
    await estimatesFees(t, clients);
  }));

async function sendsFromNewAccounts(t: Deno.TestContext, { v4, v5, client }: Clients): Promise<void> {
  for (const [name, user] of [["WalletContractV4", v4], ["WalletContractV5R1", v5]] as const) {
    await t.step(`${name} sends from an account that was never used`, async () => {
      const { publicKey, secretKey } = await mnemonicToPrivateKey(user.mnemonic.split(" "));
      const wallet = user.version === "v4R2"
        ? client.open(WalletContractV4.create({ workchain: 0, publicKey }))
        : client.open(WalletContractV5R1.create({ publicKey, walletId: { networkGlobalId: -3 } }));
      assert.ok(wallet.address.equals(user.address));
      const before = await client.getBalance(stranger);
      for (const seqno of [0, 1]) {
        assert.equal(await wallet.getSeqno(), seqno);
        const sendMode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS;
        const messages = [internal({ to: stranger, value: "1.5", bounce: false, body: "hello" })];
        await wallet.sendTransfer({ seqno, secretKey, messages, sendMode });
      }
      assert.equal(await wallet.getSeqno(), 2);
      assert.ok(await client.getBalance(stranger) > before);
    });
  }
}

async function readsHistory(t: Deno.TestContext, { client, v4 }: Clients): Promise<void> {
  await t.step("getTransactions pages through the whole history by lt and hash", async () => {
    const all = await client.getTransactions(v4.address, { limit: 100 });
    assert.equal(all.length, 3);
    const [newest, middle, first] = all;
    assert.equal(newest.prevTransactionLt, middle.lt);
    assert.equal(first.prevTransactionLt, 0n);
    assert.equal(first.oldStatus, "non-existing");
    const from = { lt: newest.lt.toString(), hash: newest.hash().toString("base64"), limit: 1 };
    const [next] = await client.getTransactions(v4.address, { ...from });
    assert.equal(next.lt, middle.lt);
    const [same] = await client.getTransactions(v4.address, { ...from, inclusive: true });
    assert.equal(same.lt, newest.lt);
    const late = await client.getTransactions(v4.address, { limit: 100, to_lt: middle.lt.toString() });
    assert.deepEqual(late.map(({ lt }) => lt), [newest.lt]);
    const found = await client.getTransaction(
      v4.address,
      middle.lt.toString(),
      middle.hash().toString("base64"),
    );
    assert.ok(found!.hash().equals(middle.hash()));
  });

  await t.step("a message is located by its source and by its destination", async () => {
    const [arrived] = await client.getTransactions(stranger, { limit: 1 });
    const { info } = arrived.inMessage!;
    assert.ok(info.type === "internal");
    const result = await client.tryLocateResultTx(info.src, stranger, info.createdLt.toString());
    assert.ok(result.hash().equals(arrived.hash()));
    const source = await client.tryLocateSourceTx(info.src, stranger, info.createdLt.toString());
    assert.ok([...source.outMessages.values()].some(({ body }) => body.equals(arrived.inMessage!.body)));
  });

  await t.step("states, the masterchain, and shards with their transactions are served", async () => {
    assert.equal(await client.isContractDeployed(v4.address), true);
    assert.equal(await client.isContractDeployed(stranger), false);
    assert.equal((await client.getContractState(stranger)).state, "uninitialized");
    assert.equal(
      (await client.getContractState(Address.parse("0:" + "00".repeat(32)))).lastTransaction,
      null,
    );
    const { latestSeqno } = await client.getMasterchainInfo();
    const [shard] = await client.getWorkchainShards(latestSeqno);
    assert.equal(shard.workchain, 0);
    const listed = [];
    for (let seqno = 1; seqno <= latestSeqno; seqno++) {
      listed.push(...await client.getShardTransactions(0, seqno, shard.shard));
    }
    const own = listed.filter(({ account }) => account.equals(v4.address)).map(({ lt }) => BigInt(lt));
    const all = await client.getTransactions(v4.address, { limit: 100 });
    assert.deepEqual(own.toReversed(), all.map(({ lt }) => lt));
  });
}

async function estimatesFees(t: Deno.TestContext, { client, v4 }: Clients): Promise<void> {
  await t.step("fees are estimated without a signature", async () => {
    const body = beginCell().storeUint(0, 512).storeUint(698983191, 32).storeUint(0xffffffff, 32).storeUint(
      2,
      32,
    )
      .storeUint(0, 8).storeUint(3, 8)
      .storeRef(
        beginCell().storeUint(0x10, 6).storeAddress(stranger).storeCoins(1).storeUint(0, 107).endCell(),
      )
      .endCell();
    const { source_fees: fees } = await client.estimateExternalMessageFee(v4.address, {
      body,
      initCode: null,
      initData: null,
      ignoreSignature: true,
    });
    assert.ok(fees.gas_fee > 0 && fees.in_fwd_fee > 0 && fees.fwd_fee > 0, JSON.stringify(fees));
  });

  await t.step("an unknown get method ends with exit code 11, and a missing account with -13", async () => {
    assert.equal((await client.runMethodWithError(v4.address, "nothing")).exit_code, 11);
    assert.equal(
      (await client.runMethodWithError(Address.parse("0:" + "00".repeat(32)), "seqno")).exit_code,
      -13,
    );
  });
}

Deno.test("every method answers GET and JSON-RPC alike", () =>
  withLocalnet({}, async (net) => {
    const address = net.wallets[0].address.toString();
    const calls: [string, Record<string, string>][] = [
      ["getMasterchainInfo", {}],
      ["getConsensusBlock", {}],
      ["lookupBlock", { workchain: "-1", seqno: "1" }],
      ["shards", { seqno: "1" }],
      ["getAddressInformation", { address }],
      ["getExtendedAddressInformation", { address }],
      ["getWalletInformation", { address }],
      ["getAddressBalance", { address }],
      ["getAddressState", { address }],
      ["getTransactions", { address, limit: "5" }],
      ["getConfigParam", { config_id: "21" }],
      ["getConfigAll", {}],
    ];
    for (const [method, params] of calls) {
      const rest = await get(net, `${method}?${new URLSearchParams(params)}`);
      const rpc = await post(net.url, { id: "7", jsonrpc: "2.0", method, params });
      assert.equal(rest.status, 200, method);
      assert.equal(rest.body.ok, true, method);
      assert.deepEqual([rpc.body.id, rpc.body.jsonrpc, rpc.body.ok], ["7", "2.0", true], method);
      if (!/Information|Masterchain|Consensus/.test(method)) {
        assert.deepEqual(rpc.body.result, rest.body.result);
      }
    }
  }));

Deno.test("errors have toncenter's format", () =>
  withLocalnet({}, async (net) => {
    const address = net.wallets[0].address.toString();
    const rpc = (method: string, params: unknown) => ({ id: 1, jsonrpc: "2.0", method, params });
    const cases: [string, unknown, number][] = [
      ["no JSON", "{", 422],
      ["no object", "[]", 422],
      ["no method", { params: {} }, 422],
      ["an unknown method", rpc("getEverything", {}), 404],
      ["an inherited property as the method", rpc("constructor", {}), 404],
      ["params that are a list", rpc("getAddressBalance", []), 422],
      ["no address", rpc("getAddressBalance", {}), 422],
      ["a wrong address", rpc("getAddressBalance", { address: "EQ" }), 422],
      ...([1e10, 1.5, 2 ** 31, true, null].map((method): [string, unknown, number] => [
        `the get method ${method}`,
        rpc("runGetMethod", { address, method, stack: [] }),
        422,
      ])),
      ...([2n ** 256n, -(2n ** 256n) - 1n].map((number): [string, unknown, number] => [
        `an argument of ${number}, which the TVM has not`,
        rpc("runGetMethod", { address, method: "seqno", stack: [["num", String(number)]] }),
        422,
      ])),
      [
        "5,000 arguments",
        rpc("runGetMethod", { address, method: "seqno", stack: Array(5_000).fill(["num", "1"]) }),
        422,
      ],
      ["a limit of 0", rpc("getTransactions", { address, limit: 0 }), 422],
      ["a limit of 101", rpc("getTransactions", { address, limit: 101 }), 422],
      ["a limit that is no number", rpc("getTransactions", { address, limit: "ten" }), 422],
      ["an unknown transaction", rpc("getTransactions", { address, lt: "1", hash: "00".repeat(32) }), 500],
      ["a malformed hash", rpc("getTransactions", { address, lt: "1000000", hash: "00" }), 422],
      ["a message that is no bag of cells", rpc("sendBoc", { boc: "AAAA" }), 422],
      ["an internal message", rpc("sendBoc", { boc: boc(internal({ to: stranger, value: 1n })) }), 422],
      [
        "a message to a missing account",
        rpc("sendBoc", { boc: boc(external({ to: stranger, body: comment("x") })) }),
        500,
      ],
      [
        "a message that is too large",
        rpc("sendBoc", { boc: boc(external({ to: stranger, body: large() })) }),
        500,
      ],
      ["a malformed stack", rpc("runGetMethod", { address, method: "seqno", stack: [["num"]] }), 422],
      ["a get method without a name", rpc("runGetMethod", { address, stack: [] }), 422],
      ["a block to come", rpc("shards", { seqno: 1_000_000 }), 404],
      ["a parameter that is not set", rpc("getConfigParam", { config_id: 99_999 }), 422],
    ];
    for (const [what, body, code] of cases) {
      const answer = await post(net.url, body);
      assert.equal(answer.status, code, `${what}: ${JSON.stringify(answer.body)}`);
      assert.equal(answer.body.ok, false, what);
      assert.equal(answer.body.code, code, what);
      assert.equal(typeof answer.body.error, "string", what);
    }
    assert.equal((await get(net, "../elsewhere")).status, 404);
  }));

Deno.test("a refused transfer is reported as by a lite server, and sendBocReturnHash returns both hashes", () =>
  withLocalnet({}, async (net) => {
    const chain = connect({ endpoint: net.url });
    const [{ mnemonic, version }] = net.wallets;
    const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
    const { now } = await wallet.state();
    const transfer = wallet.sign({
      seqno: 0,
      validUntil: now + 60,
      messages: [{ to: stranger, value: 1n, bounce: false }],
    });
    const params = { boc: transfer.message.toBoc().toString("base64") };
    const sent = await post(net.url, { method: "sendBocReturnHash", params });
    assert.equal(Buffer.from(sent.body.result.hash_norm, "base64").toString("hex"), transfer.hash);
    assert.equal(sent.body.result.hash, transfer.message.hash().toString("base64"));
    const again = await post(net.url, { method: "sendBoc", params });
    assert.equal(again.status, 500);
    assert.match(again.body.error, /cannot apply external message to current state.*exitcode=33/s);
  }));

/** Returns a body of 70,000 bytes. */
function large(): Cell {
  let cell = beginCell().endCell();
  for (let i = 0; i < 560; i++) cell = beginCell().storeUint(i, 1000).storeRef(cell).endCell();
  return cell;
}

function boc(message: Parameters<typeof storeMessage>[0] | ReturnType<typeof internal>): string {
  return beginCell().store(storeMessage(message as Parameters<typeof storeMessage>[0])).endCell().toBoc()
    .toString("base64");
}

Deno.test("a client that disconnects in the middle of a request is not an error of the localnet", async () => {
  const errors: unknown[] = [];
  await withLocalnet({ onError: (error: unknown) => errors.push(error) }, async (net) => {
    const { hostname, port } = new URL(net.url);
    const client = await Deno.connect({ hostname, port: Number(port) });
    const head = "POST /api/v2/jsonRPC HTTP/1.1\r\nhost: localnet\r\ncontent-length: 100\r\n\r\n{";
    await client.write(new TextEncoder().encode(head));
    await get(net, "getMasterchainInfo"); // the client read the head before this answer
    client.close();
    await get(net, "getMasterchainInfo");
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
  assert.deepEqual(errors, []);
});
