/**
 * A wallet of the local network that implements TON Connect, correctly or incorrectly. It is as strict as the strictest
 * wallets: Tonkeeper for Android reads a request's id as an integer, answers with id 0 if it is none, and ignores ids
 * that do not increase (tonkeeper/android: JSONObject.kt, Bridge.kt, TonConnectManager.kt); Tonkeeper for the web
 * requires `valid_until` (tonkeeper/tonkeeper-web: entries/tonConnect.ts).
 */
import { Address, Cell } from "@ton/core";
import { Secret } from "../../src/core/text/secret.ts";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { openWallet, type Wallet } from "../../src/ton/wallet/wallet.ts";
import { waitUntil } from "../programs/wait_until.ts";

/** A wallet's response to a payment request. */
export type WalletConduct =
  | "signs"
  | "declines"
  | "silent"
  | "late"
  | "unbounceable"
  | "twice"
  | "another amount"
  | "nonsense"
  | "lies"
  | "fails without id"
  | "declines without id"
  | "signs without id"
  | "null error"
  | "textual code"
  | "answers twice";

interface TestWalletOptions {
  readonly indexer: string;
  readonly mnemonic: string;
  readonly version: "v4R2" | "v5R1";
  /** Called at each request. Default: signs. */
  readonly conduct?: () => WalletConduct | Promise<WalletConduct>;
  /** The network that the wallet reports. Default: "-3". */
  readonly network?: string;
}

export interface RpcMessage {
  readonly id: string;
  readonly method: string;
  readonly params: readonly string[];
}

interface Transfer {
  readonly valid_until?: number;
  readonly messages: readonly {
    readonly address: string;
    readonly amount: string;
    readonly payload?: string;
  }[];
}

export interface TestWallet {
  readonly address: Address;
  /** The number of transfers that the wallet has sent. */
  readonly sent: number;
  /** Whether the app has ended the session. */
  readonly isDisconnected: boolean;
  connectEvent(id?: number): object;
  /** Answers a request; with several answers if the result is an array, with none if it is undefined. */
  answer(request: RpcMessage): Promise<unknown>;
}

export async function openTestWallet(options: TestWalletOptions): Promise<TestWallet> {
  const { indexer, mnemonic, version, conduct = () => "signs" as const, network = "-3" } = options;
  const chain = connect({ network: "localnet", endpoint: indexer });
  const wallet = await openWallet(new Secret(mnemonic), { version, network: "localnet", chain });
  let sent = 0;
  let isDisconnected = false;
  let nextSeqno = 0;
  let lastRequest = 0n;
  const pay = async (transfer: Transfer, change: { bounce?: boolean; factor?: bigint } = {}) => {
    // A transfer that is sent before the one before it is in a block would have the same seqno.
    await waitUntil(
      "the wallet's last transfer is in a block",
      async () => await wallet.seqno() >= nextSeqno,
    );
    const { message, seqno } = await wallet.send(toMessages(transfer, change));
    nextSeqno = seqno + 1;
    sent++;
    return message.toBoc().toString("base64");
  };
  return {
    address: wallet.address,
    get sent() {
      return sent;
    },
    get isDisconnected() {
      return isDisconnected;
    },
    connectEvent(id = 1) {
      lastRequest = 0n; // ids increase within a session
      return connectEvent(wallet, network, id);
    },
    async answer({ id, method, params }) {
      if (!/^\d+$/.test(id)) return { id: 0, error: { code: 1, message: "the id is not an integer" } };
      if (BigInt(id) <= lastRequest) return undefined;
      lastRequest = BigInt(id);
      if (method === "disconnect") isDisconnected = true;
      if (method !== "sendTransaction") return { id, result: {} };
      const transfer = JSON.parse(params[0]) as Transfer;
      if (!Number.isInteger(transfer.valid_until)) {
        return { id, error: { code: 1, message: "valid_until is required" } };
      }
      switch (await conduct()) {
        case "signs":
          if (transfer.valid_until! * 1000 < Date.now()) {
            return { id, error: { code: 1, message: "the request has expired" } };
          }
          return { id, result: await pay(transfer) };
        case "late": // it ignores the time limit
          return { id, result: await pay(transfer) };
        case "declines":
          return { id, error: { code: 300, message: "the owner declined" } };
        case "silent":
          return undefined;
        case "unbounceable":
          return { id, result: await pay(transfer, { bounce: false }) };
        case "twice":
          await pay(transfer);
          return { id, result: await pay(transfer) };
        case "another amount":
          return { id, result: await pay(transfer, { factor: 2n }) };
        case "nonsense":
          return { id: "another", result: { sent: ["?"] } };
        case "lies":
          return { id, result: "te6cckEBAQEAAgAAAEysuc0=" };
        case "fails without id":
          return { id: 0, error: { code: 1, message: "Bad request" } };
        case "declines without id":
          return { id: 0, error: { code: 300, message: "the owner declined" } };
        case "signs without id":
          await pay(transfer);
          return { id: 0, error: { code: 300, message: "the owner declined" } };
        case "null error":
          return { id, result: await pay(transfer), error: null };
        case "textual code":
          return { id, error: { code: "300", message: "the owner declined" } };
        case "answers twice": {
          const answer = { id, result: await pay(transfer) };
          return [answer, answer];
        }
      }
    },
  };
}

function toMessages({ messages }: Transfer, { bounce, factor = 1n }: { bounce?: boolean; factor?: bigint }) {
  return messages.map(({ address, amount, payload }) => ({
    to: Address.parse(address),
    value: BigInt(amount) * factor,
    bounce: bounce ?? Address.parseFriendly(address).isBounceable,
    ...payload && { body: Cell.fromBase64(payload) },
  }));
}

function connectEvent(wallet: Wallet, network: string, id: number): object {
  const item = {
    name: "ton_addr",
    address: wallet.address.toRawString(),
    network,
    publicKey: "",
    walletStateInit: "",
  };
  const device = {
    platform: "linux",
    appName: "Test wallet",
    appVersion: "1",
    maxProtocolVersion: 2,
    features: [],
  };
  return { event: "connect", id, payload: { items: [item], device } };
}
