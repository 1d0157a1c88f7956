/** A phone with a wallet of the local network. It opens the links of `--connect`, and its owner confirms when asked to. */
import { ConnectWallet } from "../../../src/localnet/tonconnect/connect_wallet.ts";
import {
  openRemoteWallet,
  type RemoteWallet,
  type RpcMessage,
  type WalletSide,
} from "../../../src/localnet/tonconnect/remote_wallet.ts";
import type { Wallet } from "../../../src/ton/wallet/wallet.ts";

/** The link of `--connect localnet`, in the output of a command. */
export const CONNECT_LINK = /http:\/\/\S+\/wallet\?v=2&\S+(?=\n|")/;

export class Phone implements WalletSide, Disposable {
  readonly #wallet: ConnectWallet;
  readonly #sessions: RemoteWallet[] = [];
  readonly #confirms: (() => void)[] = [];

  constructor(wallet: Wallet, readonly confirmsAtOnce = false) {
    this.#wallet = new ConnectWallet(wallet);
  }

  /** The number of payments that the phone was asked for. */
  get requests(): number {
    return this.#confirms.length;
  }

  async open(link: string): Promise<void> {
    const bridge = `${new URL(link).origin}/bridge`;
    this.#sessions.push(await openRemoteWallet(this, { link, bridge }));
  }

  confirm(request: number): void {
    this.#confirms[request]();
  }

  connectEvent(): object {
    return this.#wallet.connectEvent();
  }

  answer(request: RpcMessage): Promise<unknown> {
    if (request.method !== "sendTransaction") return this.#wallet.answer(request);
    return new Promise((resolve) => {
      const confirm = () => resolve(this.#wallet.answer(request));
      this.#confirms.push(confirm);
      if (this.confirmsAtOnce) confirm();
    });
  }

  [Symbol.dispose](): void {
    for (const session of this.#sessions) session.close();
  }
}
