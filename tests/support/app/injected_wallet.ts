/// <reference lib="dom" />
/** The bridge that a wallet's browser injects into a page. A test wallet answers it. */
import type { Page } from "puppeteer-core";
import type { RpcMessage } from "../../../src/localnet/tonconnect/remote_wallet.ts";
import type { TestWallet } from "../../../testkit/wallet/test_wallet.ts";

export const INJECTED_WALLET_NAME = "Test wallet";

/** Injects the bridge. Call this before the page is opened. */
export async function injectWallet(page: Page, wallet: TestWallet): Promise<void> {
  await page.exposeFunction("__answer", (request: RpcMessage) => wallet.answer(request));
  await page.exposeFunction("__connect", () => wallet.connectEvent());
  await page.evaluateOnNewDocument(putBridge);
}

/** Runs in the page. */
function putBridge(): void {
  const scope = globalThis as unknown as Record<string, never> & {
    __answer(request: unknown): Promise<unknown>;
    __connect(): Promise<unknown>;
  };
  const requests: unknown[] = [];
  const testwallet = {
    requests,
    tonconnect: {
      walletInfo: { name: "Test\u202e wallet" },
      connect: () => scope.__connect(),
      restoreConnection: () => scope.__connect(),
      async send(request: { method: string; params: string[] }) {
        if (request.method === "sendTransaction") requests.push(JSON.parse(request.params[0]));
        const [answer] = [await scope.__answer(request)].flat();
        return answer ?? await new Promise(() => {});
      },
      listen: () => () => {},
    },
  };
  Object.assign(scope, { testwallet });
}
