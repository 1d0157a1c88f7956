import { deepEqual, equal, match } from "node:assert/strict";
import { connectLink } from "./connect_link.ts";

Deno.test("the link of a wallet in Telegram has one parameter that names session and manifest", () => {
  const telegram = { link: "https://t.me/wallet?attach=wallet" };
  const url = new URL(connectLink(telegram, "ab".repeat(32), "https://app.example/my_m-1.json"));
  equal(url.origin + url.pathname, "https://t.me/wallet/start");
  deepEqual([...url.searchParams.keys()], ["startapp"]);
  const startapp = url.searchParams.get("startapp")!;
  match(startapp, /^tonconnect-v__2-id__(ab){32}-r__[\w-]+-ret__none$/); // Telegram allows no other characters
  equal(startapp.length <= 512, true);
  // The decoder that wallets share with the SDK (ton-connect/sdk: utils/url.ts).
  const parameters = new URLSearchParams(
    startapp.slice("tonconnect-".length).replaceAll("--", "%").replaceAll("__", "=").replaceAll("-", "&"),
  );
  const { manifestUrl } = JSON.parse(parameters.get("r")!);
  deepEqual([parameters.get("id"), manifestUrl], ["ab".repeat(32), "https://app.example/my_m-1.json"]);
});
