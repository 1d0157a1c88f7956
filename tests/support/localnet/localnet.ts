/** Starts a localnet that closes at the end of a test, and sends requests to it. */
import { Address } from "@ton/core";
import { type Localnet, startLocalnet } from "../../../src/localnet/localnet.ts";

export const stranger = Address.parse("0:" + "ab".repeat(32));

export async function withLocalnet(
  options: Parameters<typeof startLocalnet>[0],
  test: (net: Localnet) => Promise<void>,
) {
  const net = await startLocalnet({ blockTimeMs: 0, pools: [], ...options });
  try {
    await test(net);
  } finally {
    await net.close();
  }
}

export const get = async (net: Localnet, query: string) => {
  const response = await fetch(net.url.replace("jsonRPC", query));
  return { status: response.status, body: await response.json() };
};

export const post = async (url: string, body: unknown) => {
  const response = await fetch(url, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
