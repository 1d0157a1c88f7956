/** The localnet's fee estimate, and its transactions by logical time alone. */
import { deepEqual, equal } from "node:assert/strict";
import { beginCell, external, SendMode, storeMessage } from "@ton/core";
import { WalletContractV4 } from "@ton/ton";
import { countCells } from "../../../testkit/chain/pool_storage.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { post, stranger, withLocalnet } from "../../support/localnet/localnet.ts";

Deno.test("the estimated fee of a message that a wallet accepts is the fee of its import, without other parts", () =>
  withLocalnet({}, async (net) => {
    const [{ address, mnemonic, version }] = net.wallets;
    const chain = connect({ endpoint: net.url });
    const sender = await openWallet(mnemonic, { version, network: "localnet", chain });
    await sender.send([{ to: stranger, value: 1n, bounce: false }]);
    const wallet = WalletContractV4.create({ workchain: 0, publicKey: Buffer.alloc(32) });
    const body = wallet.createTransfer({
      seqno: await sender.seqno(),
      messages: [],
      sendMode: SendMode.NONE,
      timeout: 0xffffffff,
      secretKey: Buffer.alloc(64),
    });
    const params = { address: address.toRawString(), body: body.toBoc().toString("base64") };
    const { body: answer } = await post(net.url, { id: 1, jsonrpc: "2.0", method: "estimateFee", params });
    const message = beginCell().store(storeMessage(external({ to: address, body }))).endCell();
    const { cells, bits } = countCells(message);
    const size = { cells: BigInt(cells - 1), bits: BigInt(bits - message.bits.length) };
    const prices = await fetchNetworkPrices(chain);
    const { in_fwd_fee, fwd_fee } = answer.result.source_fees;
    deepEqual([BigInt(in_fwd_fee), fwd_fee], [prices.forwardFee(size), 0]);
  }));

Deno.test("transactions are found by their logical time without a hash", () =>
  withLocalnet({}, async (net) => {
    const [{ address }] = net.wallets;
    await net.fund(address, 5n);
    const chain = connect({ endpoint: net.url });
    const [, { id }] = await chain.transactions(address, { limit: 2 });
    const params = { address: address.toRawString(), lt: String(id.lt), limit: 1 };
    const request = { id: 1, jsonrpc: "2.0", method: "getTransactions", params };
    const { body } = await post(net.url, request);
    equal(body.result[0].transaction_id.lt, String(id.lt));
  }));
