/** Builds the links that open a wallet. */
import { connectRequest, PROTOCOL_VERSION } from "./wallet_messages.ts";

/** Returns the link that opens the wallet, or that it scans. */
export function connectLink(
  { link }: { readonly link: string },
  session: string,
  manifestUrl: string,
): string {
  const r = JSON.stringify(connectRequest(manifestUrl));
  return withParameters(link, { v: String(PROTOCOL_VERSION), id: session, r, ret: "none" });
}

/** Returns the link that opens the wallet, which then finds the open request at its bridge. */
export function walletLink({ link }: { readonly link: string }): string {
  return withParameters(link, { ret: "none" });
}

/** Telegram passes one parameter to a mini app, in an encoding of its own (ton-connect/sdk: utils/url.ts). */
function withParameters(link: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(link);
  if (url.hostname !== "t.me") {
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }
  if (url.searchParams.has("attach")) { // the list names an older form of the link
    url.searchParams.delete("attach");
    url.pathname += "/start";
  }
  const markers: Record<string, string> = {
    ".": "--2E",
    "-": "--2D",
    _: "--5F",
    "&": "-",
    "=": "__",
    "%": "--",
  };
  const encoded = new URLSearchParams(parameters).toString().replace(/[.\-_&=%]/g, (char) => markers[char]);
  url.searchParams.set("startapp", `tonconnect-${encoded}`);
  return url.href;
}
