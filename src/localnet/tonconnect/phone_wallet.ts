/** The part of the local network that wallets are on a phone: a bridge, and a wallet that opens TON Connect links. */
import type { Wallet } from "../../ton/wallet/wallet.ts";
import { WalletBridge } from "./bridge.ts";
import { ConnectWallet } from "./connect_wallet.ts";
import { openRemoteWallet, type RemoteWallet } from "./remote_wallet.ts";

export const BRIDGE_PATH = "/bridge";
/** A program's link to the wallet: opening it connects the wallet. */
export const WALLET_PATH = "/wallet";

export class PhoneWallet {
  readonly #bridge = new WalletBridge();
  readonly #sessions: RemoteWallet[] = [];
  readonly #open: () => Promise<Wallet>;
  #wallet: Promise<ConnectWallet> | undefined;

  constructor(open: () => Promise<Wallet>) {
    this.#open = open;
  }

  /** Undefined if the request is not for the bridge or the wallet. */
  async respond(request: Request): Promise<Response | undefined> {
    const { origin, pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith(`${BRIDGE_PATH}/`)) return await this.#bridge.respond(request);
    if (pathname !== WALLET_PATH) return undefined;
    if (!/^[0-9a-f]{64}$/.test(searchParams.get("id") ?? "")) {
      return new Response("This is not a link of TON Connect.\n", { status: 400 });
    }
    this.#wallet ??= this.#open().then((wallet) => new ConnectWallet(wallet));
    const options = { link: request.url, bridge: `${origin}${BRIDGE_PATH}` };
    this.#sessions.push(await openRemoteWallet(await this.#wallet, options));
    return new Response(
      "The local network's first wallet is connected. It pays what the program asks for.\n",
    );
  }

  close(): void {
    for (const session of this.#sessions) session.close();
  }
}
