/** A test wallet behind an HTTP bridge. It acts like a phone that has opened or scanned the app's link. */
import { Base64, hexToByteArray, SessionCrypto } from "@tonconnect/protocol";
import type { RpcMessage, TestWallet } from "./test_wallet.ts";

export interface RemoteWallet {
  /** Ends the session from the wallet's side. */
  disconnect(): Promise<void>;
  close(): void;
}

/** @param link from the app @param bridge the bridge's URL */
export async function openRemoteWallet(
  wallet: Pick<TestWallet, "connectEvent" | "answer">,
  { link, bridge }: { readonly link: string; readonly bridge: string },
): Promise<RemoteWallet> {
  const app = new URL(link).searchParams.get("id")!;
  const session = new SessionCrypto();
  const over = new AbortController();
  const send = async (message: unknown) => {
    const body = Base64.encode(session.encrypt(JSON.stringify(message), hexToByteArray(app)));
    const url = `${bridge}/message?client_id=${session.sessionId}&to=${app}&ttl=300`;
    await fetch(url, { method: "POST", body }).then(
      (response) => response.body?.cancel(),
      (error) => {
        if (!over.signal.aborted) throw error;
      },
    );
  };
  listen(`${bridge}/events?client_id=${session.sessionId}`, over.signal, async ({ from, message }) => {
    const text = session.decrypt(Base64.decode(message).toUint8Array(), hexToByteArray(from));
    const answer = await wallet.answer(JSON.parse(text) as RpcMessage);
    for (const each of Array.isArray(answer) ? answer : [answer]) if (each !== undefined) await send(each);
  });
  await send(wallet.connectEvent());
  return {
    disconnect: () => send({ event: "disconnect", id: 2, payload: {} }),
    close: () => over.abort(),
  };
}

async function listen(
  url: string,
  signal: AbortSignal,
  onEvent: (event: { from: string; message: string }) => void,
): Promise<void> {
  try {
    const response = await fetch(url, { signal });
    let rest = "";
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split("\n\n");
      rest = events.pop()!;
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data?.startsWith("{")) onEvent(JSON.parse(data));
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
