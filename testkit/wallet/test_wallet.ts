/**
 * A wallet of the local network that implements TON Connect, correctly or incorrectly. It is as strict as the strictest
 * wallets: Tonkeeper for Android reads a request's id as an integer, answers with id 0 if it is none, and ignores ids
 * that do not increase (tonkeeper/android: JSONObject.kt, Bridge.kt, TonConnectManager.kt); Tonkeeper for the web
 * requires `valid_until` (tonkeeper/tonkeeper-web: entries/tonConnect.ts).
 */
import type { Address } from "@ton/core";
import { Secret } from "../../src/core/text/secret.ts";
import { ConnectWallet, toMessages, type Transfer } from "../../src/localnet/tonconnect/connect_wallet.ts";
import type { WalletSide } from "../../src/localnet/tonconnect/remote_wallet.ts";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../src/ton/wallet/wallet.ts";

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

export interface TestWallet extends WalletSide {
  readonly address: Address;
  /** The number of transfers that the wallet has sent. */
  readonly sent: number;
  /** Whether the app has ended the session. */
  readonly isDisconnected: boolean;
}

export async function openTestWallet(options: TestWalletOptions): Promise<TestWallet> {
  const { indexer, mnemonic, version, conduct = () => "signs" as const, network } = options;
  const chain = connect({ network: "localnet", endpoint: indexer });
  const wallet = await openWallet(new Secret(mnemonic), { version, network: "localnet", chain });
  let sent = 0;
  let isDisconnected = false;
  let lastRequest = 0n;
  const connected = new ConnectWallet(wallet, network);
  const pay: Pay = async (transfer, change = {}) => {
    const { bounce, factor = 1n } = change;
    const boc = await connected.pay(
      toMessages(transfer).map((each) => ({
        ...each,
        value: each.value * factor,
        bounce: bounce ?? each.bounce,
      })),
    );
    sent++;
    return boc;
  };
  return {
    address: wallet.address,
    get sent() {
      return sent;
    },
    get isDisconnected() {
      return isDisconnected;
    },
    connectEvent() {
      lastRequest = 0n; // ids increase within a session
      return connected.connectEvent();
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
      return await respond(await conduct(), id, transfer, pay);
    },
  };
}

type Pay = (transfer: Transfer, change?: { bounce?: boolean; factor?: bigint }) => Promise<string>;

async function respond(conduct: WalletConduct, id: string, transfer: Transfer, pay: Pay): Promise<unknown> {
  switch (conduct) {
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
}
