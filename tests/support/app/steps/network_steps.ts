/// <reference lib="dom" />
/** A page that loses its network. The injected wallet does not need it. */
import type { Journey } from "../journey.ts";

export const OFFLINE = "You are offline. You can still see your notes, back them up and lock the app.";
/** The text of a chain endpoint that does not answer. */
export const SILENT =
  "The network does not answer. Check your internet connection and try again. In Settings you can enter another endpoint.";

export async function goOffline({ page }: Pick<Journey, "page">): Promise<void> {
  await page.setOfflineMode(true);
  await page.waitForFunction((notice) => document.body.innerText.includes(notice), {}, OFFLINE);
}

export async function goOnline({ page }: Pick<Journey, "page">): Promise<void> {
  await page.setOfflineMode(false);
  await page.waitForFunction((notice) => !document.body.innerText.includes(notice), {}, OFFLINE);
}
