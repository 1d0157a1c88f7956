/** A wallet of the local network that implements TON Connect. It pays whatever the connected program asks for. */
import { Address, Cell } from "@ton/core";
import { pollUntil } from "../../core/time/deadline.ts";
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";
import type { RpcMessage, WalletSide } from "./remote_wallet.ts";

const POLL_INTERVAL_MS = 50;
/** The local network's id in TON Connect: that of testnet. */
const NETWORK = "-3";

/** The parameter of `sendTransaction`. */
export interface Transfer {
  readonly valid_until?: number;
  readonly messages: readonly {
    readonly address: string;
    readonly amount: string;
    readonly payload?: string;
  }[];
}

export class ConnectWallet implements WalletSide {
  readonly #wallet: Wallet;
  readonly #network: string;
  #nextSeqno = 0;
  #payments: Promise<unknown> = Promise.resolve();

  /** @param network the id that the wallet reports */
  constructor(wallet: Wallet, network = NETWORK) {
    [this.#wallet, this.#network] = [wallet, network];
  }

  connectEvent(id = 1): object {
    return connectEvent(this.#wallet, this.#network, id);
  }

  async answer({ id, method, params }: RpcMessage): Promise<unknown> {
    if (method !== "sendTransaction") return { id, result: {} };
    const transfer = JSON.parse(params[0]) as Transfer;
    if ((transfer.valid_until ?? Infinity) * 1000 < Date.now()) {
      return { id, error: { code: 1, message: "the request has expired" } };
    }
    return { id, result: await this.pay(toMessages(transfer)) };
  }

  /** Returns the message in base64. One payment after the other: two before one block would have the same seqno. */
  pay(messages: readonly OutgoingMessage[]): Promise<string> {
    const paid = this.#payments.then(async () => {
      await pollUntil(async () => await this.#wallet.seqno() >= this.#nextSeqno, {
        intervalMs: POLL_INTERVAL_MS,
        timeoutMs: Infinity,
      });
      const { message, seqno } = await this.#wallet.send(messages);
      this.#nextSeqno = seqno + 1;
      return message.toBoc().toString("base64");
    });
    this.#payments = paid.catch(() => {});
    return paid;
  }
}

export function toMessages({ messages }: Transfer): OutgoingMessage[] {
  return messages.map(({ address, amount, payload }) => ({
    to: Address.parse(address),
    value: BigInt(amount),
    bounce: Address.parseFriendly(address).isBounceable,
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
