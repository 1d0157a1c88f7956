import assert from "node:assert/strict";
import { Address, Cell, comment, loadMessage, SendMode, toNano } from "@ton/core";
import { TonClient, WalletContractV4, WalletContractV5R1 } from "@ton/ton";
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { relayerKey, userKeys } from "../../../src/localnet/development_keys.ts";
import { startLocalnet } from "../../../src/localnet/localnet.ts";
import type { AccountInfo } from "../../../src/ton/chain.ts";
import { deriveKeyPair } from "../../../src/ton/wallet/mnemonic.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import {
  normalizedMessageHash,
  openWallet,
  TRANSFER_TTL_SECONDS,
  type WalletVersion,
} from "../../../src/ton/wallet/wallet.ts";

const nowhere = connect({ endpoint: "http://127.0.0.1:1", attempts: 1 });
const stranger = Address.parse("0:" + "ab".repeat(32));

for (const key of [relayerKey, ...userKeys]) {
  Deno.test(`${key.version} wallet of a development key has the listed address: ${key.address}`, async () => {
    const wallet = await openWallet(key.mnemonic, {
      version: key.version,
      network: "localnet",
      chain: nowhere,
    });
    assert.equal(wallet.address.toRawString(), key.address);
    assert.equal(wallet.checksumValid, true);
  });
}

Deno.test("v5R1 has another address on mainnet, v4R2 the same on every network", async () => {
  const { mnemonic } = relayerKey;
  const address = async (version: WalletVersion, network: "mainnet" | "testnet" | "localnet") =>
    (await openWallet(mnemonic, { version, network, chain: nowhere })).address.toRawString();
  assert.equal(await address("v4R2", "mainnet"), await address("v4R2", "localnet"));
  assert.notEqual(await address("v5R1", "mainnet"), await address("v5R1", "testnet"));
  assert.equal(await address("v5R1", "testnet"), await address("v5R1", "localnet"));
});

Deno.test("addresses are formatted non-bounceable, with the test flag off mainnet", async () => {
  const open = (network: "mainnet" | "testnet") =>
    openWallet(relayerKey.mnemonic, { version: "v4R2", network, chain: nowhere });
  assert.match((await open("mainnet")).format(), /^UQ/);
  assert.match((await open("testnet")).format(), /^0Q/);
  assert.match((await open("testnet")).format(stranger), /^0Q/);
});

Deno.test("a mnemonic is accepted in any case and spacing, also as a Secret", async () => {
  const { mnemonic } = relayerKey;
  const { publicKey } = await deriveKeyPair(mnemonic);
  const sloppy = `  ${mnemonic.toUpperCase().replaceAll(" ", " \n\t")} `;
  assert.deepEqual((await deriveKeyPair(new Secret(sloppy))).publicKey, publicKey);
});

const words = relayerKey.mnemonic.split(" ");
const refused: [string, string, RegExp][] = [
  ["no word", "", /has 0 words/],
  ["23 words", words.slice(1).join(" "), /has 23 words/],
  ["25 words", `${relayerKey.mnemonic} abandon`, /has 25 words/],
  ["an unknown word", ["tonado", ...words.slice(1)].join(" "), /word 1 is not in the word list/],
];
for (const [what, mnemonic, message] of refused) {
  Deno.test(`a mnemonic with ${what} is refused, and no word of it is printed`, async () => {
    await assert.rejects(deriveKeyPair(mnemonic), (error: Problem) => {
      assert.equal(error.code, "invalid_config");
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /tonado/);
      return true;
    });
  });
}

Deno.test("a mnemonic that fails TON's checksum opens its wallet and reports the failure", async () => {
  const swapped = [words[1], words[0], ...words.slice(2)].join(" ");
  assert.equal((await deriveKeyPair(swapped)).checksumValid, false);
  const wallet = await openWallet(swapped, { version: "v4R2", network: "testnet", chain: nowhere });
  assert.equal(wallet.checksumValid, false);
});

Deno.test("a transfer's hash ignores StateInit and the place of the body (TEP-467)", async () => {
  const wallet = await openWallet(relayerKey.mnemonic, {
    version: "v5R1",
    network: "testnet",
    chain: nowhere,
  });
  const messages = [{ to: stranger, value: 1n, bounce: false }];
  const transfer = wallet.sign({ seqno: 0, validUntil: 1_800_000_000, messages });
  const { info, init, body } = loadMessage(transfer.message.beginParse());
  assert.ok(init && info.type === "external-in" && info.dest.equals(wallet.address));
  assert.notEqual(transfer.message.hash().toString("hex"), transfer.hash);
  assert.equal(normalizedMessageHash(wallet.address, body), transfer.hash);
  assert.equal(
    loadMessage(wallet.sign({ seqno: 1, validUntil: 1, messages }).message.beginParse()).init,
    null,
  );
});

for (const version of ["v4R2", "v5R1"] as const) {
  Deno.test(`a ${version} transfer has at least 1 message and at most the contract's maximum`, async () => {
    const wallet = await openWallet(relayerKey.mnemonic, { version, network: "testnet", chain: nowhere });
    const message = { to: stranger, value: 1n, bounce: false };
    const sign = (count: number) =>
      wallet.sign({ seqno: 1, validUntil: 1_800_000_000, messages: Array(count).fill(message) });
    assert.ok(sign(wallet.maxMessages));
    assert.throws(() => sign(0), RangeError);
    assert.throws(() => sign(wallet.maxMessages + 1), RangeError);
  });
}

Deno.test("a transfer that no node would accept is not signed", async () => {
  const wallet = await openWallet(relayerKey.mnemonic, {
    version: "v5R1",
    network: "testnet",
    chain: nowhere,
  });
  const sign = (count: number) =>
    wallet.sign({
      seqno: 1,
      validUntil: 1_800_000_000,
      messages: Array.from({ length: count }, (_, i) => ({
        to: stranger,
        value: 1n,
        bounce: false,
        body: comment(`${i}`.padStart(4, "0").repeat(110)), // no two bodies share a cell
      })),
    });
  assert.ok(sign(100));
  assert.throws(() => sign(200), /too large/);
});

const accounts: [string, Partial<AccountInfo>, ProblemCode][] = [
  ["is frozen", { state: "frozen" }, "chain_unavailable"],
  ["holds other code", { state: "active", code: Cell.EMPTY, data: Cell.EMPTY }, "chain_inconsistent"],
];
for (const [what, info, code] of accounts) {
  Deno.test(`a wallet whose account ${what} signs nothing by itself: ${code}`, async () => {
    const account = () =>
      Promise.resolve({ state: "active", balance: 1n, syncUtime: 1, ...info } as AccountInfo);
    const send = () => Promise.reject(new Error("sent"));
    const chain = { ...nowhere, account, send };
    const wallet = await openWallet(relayerKey.mnemonic, { version: "v4R2", network: "testnet", chain });
    const sending = wallet.send([{ to: stranger, value: 1n, bounce: false }]);
    await assert.rejects(sending, (error: unknown) => error instanceof Problem && error.code === code);
  });
}

/** Opens a wallet on a localnet, and the contract of @ton/ton for the same keys. */
async function openScene(mnemonic: string, version: WalletVersion) {
  await using stack = new AsyncDisposableStack();
  const net = await startLocalnet({ blockTimeMs: 0 });
  const chain = connect({ endpoint: net.url });
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  const contract = await referenceContract(mnemonic, version);
  const client = new TonClient({ endpoint: net.url });
  const pay = (value: bigint) => ({ to: stranger, value, bounce: false, body: comment("paid") });
  stack.defer(() => net.close());
  const open = stack.move();
  return { wallet, contract, chain, pay, client, net, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

for (const { mnemonic, version } of userKeys.slice(0, 2)) {
  Deno.test(`a ${version} wallet on a localnet`, async (t) => {
    await using scene = await openScene(mnemonic, version);
    await deploysItself(t, scene);
    await refusesRepeats(t, scene);
    await movesSeqno(t, scene);
  });
}

async function deploysItself(
  t: Deno.TestContext,
  { wallet, contract, chain, pay, client }: Scene,
): Promise<void> {
  await t.step("has the address of @ton/ton's contract", () => {
    assert.equal(wallet.address.toRawString(), contract.address.toRawString());
  });

  await t.step("has seqno 0 and a balance before it is deployed", async () => {
    const { syncUtime: now, last } = await chain.account(wallet.address);
    assert.deepEqual(await wallet.state(), { seqno: 0, balance: toNano(10_000), now, last });
  });

  await t.step("deploys itself with its first transfer, which pays several recipients", async () => {
    const transfer = await wallet.send([pay(1n), pay(20n), pay(300n)]);
    assert.equal(transfer.seqno, 0);
    assert.equal((await chain.account(stranger)).balance, 321n);
    assert.equal((await chain.account(wallet.address)).state, "active");
    assert.equal(await wallet.seqno(), 1);
    assert.equal(await client.open(contract).getSeqno(), 1);
  });

  await t.step("identifies a transfer by the hash of the message in its transaction", async () => {
    const transfer = await wallet.send([pay(4000n)]);
    const [{ raw }] = await chain.transactions(wallet.address, { limit: 1 });
    const { info, body } = raw.inMessage!;
    assert.ok(info.type === "external-in");
    assert.equal(normalizedMessageHash(info.dest, body), transfer.hash);
    assert.equal(transfer.message.hash().toString("hex"), raw.raw.refs[0].refs[0].hash().toString("hex"));
  });
}

async function refusesRepeats(t: Deno.TestContext, { wallet, pay, chain, net }: Scene): Promise<void> {
  await t.step("refuses the same transfer twice, with the exit code", async () => {
    const { seqno, now } = await wallet.state();
    const { message } = wallet.sign({ seqno, validUntil: now + 60, messages: [pay(1n)] });
    await chain.send(message);
    await assert.rejects(chain.send(message), (error: Problem) => {
      assert.equal(error.code, "contract_refused");
      assert.equal(typeof error.members.exitCode, "number");
      return true;
    });
  });

  await t.step("refuses a transfer after valid_until, by the chain's clock", async () => {
    const { seqno, now } = await wallet.state();
    const { message } = wallet.sign({
      seqno,
      validUntil: now + TRANSFER_TTL_SECONDS,
      messages: [pay(1n)],
    });
    await net.setNow(now + TRANSFER_TTL_SECONDS + 1);
    await assert.rejects(chain.send(message), { code: "contract_refused" });
  });
}

async function movesSeqno(t: Deno.TestContext, { wallet, pay, chain }: Scene): Promise<void> {
  await t.step("sends transfers that end after their lifetime by the chain's clock", async () => {
    const { now } = await wallet.state();
    equalWithin(2, (await wallet.send([pay(2n)])).validUntil, now + TRANSFER_TTL_SECONDS);
  });

  await t.step("increments its seqno even if it cannot pay the message", async () => {
    const seqno = await wallet.seqno();
    const before = (await chain.account(stranger)).balance;
    await wallet.send([pay(toNano(1_000_000))]);
    assert.equal(await wallet.seqno(), seqno + 1);
    assert.equal((await chain.account(stranger)).balance, before);
  });

  await t.step("is a Sender for any contract of @ton/core", async () => {
    await wallet.sender().send({
      to: stranger,
      value: 7n,
      bounce: false,
      sendMode: SendMode.PAY_GAS_SEPARATELY,
    });
    const [{ raw }] = await chain.transactions(stranger, { limit: 1 });
    assert.ok(raw.inMessage?.info.type === "internal");
    assert.ok(raw.inMessage.info.src.equals(wallet.address));
    assert.equal(raw.inMessage.info.value.coins, 7n);
  });
}

function equalWithin(tolerance: number, actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not near ${expected}`);
}

async function referenceContract(mnemonic: string, version: WalletVersion) {
  const { publicKey } = await deriveKeyPair(mnemonic);
  return version === "v4R2"
    ? WalletContractV4.create({ workchain: 0, publicKey })
    : WalletContractV5R1.create({ publicKey, walletId: { networkGlobalId: -3 } });
}
