/** The wallet's side of a session over a bridge, as on a phone that opened or scanned a program's link. */
import { Base64, hexToByteArray, SessionCrypto } from "@tonconnect/protocol";

/** A request of the connected program. Its id is an integer above those before it. */
export interface RpcMessage {
  readonly id: string;
  readonly method: string;
  readonly params: readonly string[];
}

export interface WalletSide {
  connectEvent(): object;
  /** Answers a request; with several answers if the result is an array, with none if it is undefined. */
  answer(request: RpcMessage): Promise<unknown>;
}

export interface RemoteWallet {
  /** Ends the session from the wallet's side. */
  disconnect(): Promise<void>;
  close(): void;
}

/** @param link from the program @param bridge the bridge's URL */
export async function openRemoteWallet(
  wallet: WalletSide,
  { link, bridge }: { readonly link: string; readonly bridge: string },
): Promise<RemoteWallet> {
  const program = new URL(link).searchParams.get("id")!;
  const session = new SessionCrypto();
  const over = new AbortController();
  const send = async (message: unknown) => {
    const body = Base64.encode(session.encrypt(JSON.stringify(message), hexToByteArray(program)));
    const url = `${bridge}/message?client_id=${session.sessionId}&to=${program}&ttl=300`;
    try {
      await (await fetch(url, { method: "POST", body })).body?.cancel();
    } catch (error) {
      if (!over.signal.aborted) throw error;
    }
  };
  const source = new EventSource(`${bridge}/events?client_id=${session.sessionId}`);
  source.addEventListener("message", async ({ data }) => {
    if (!data.startsWith("{")) return; // a heartbeat
    const { from, message } = JSON.parse(data);
    const text = session.decrypt(Base64.decode(message).toUint8Array(), hexToByteArray(from));
    const answer = await wallet.answer(JSON.parse(text));
    for (const each of Array.isArray(answer) ? answer : [answer]) if (each !== undefined) await send(each);
  });
  await send(wallet.connectEvent());
  return {
    disconnect: () => send({ event: "disconnect", id: 2, payload: {} }),
    close() {
      over.abort();
      source.close();
    },
  };
}
