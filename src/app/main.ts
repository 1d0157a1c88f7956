/** Loads the app in parts, so that no evaluation blocks a slow phone for long. The build preloads them. */
import { yieldToEventLoop } from "../core/event_loop_yield.ts";

const parts = [
  () => import("@ton/core"),
  () => import("./browser/app_config.ts"),
  () => import("../client/relayer/relayer_client.ts"),
];
for (const load of parts) {
  await load();
  await yieldToEventLoop();
}
const { start } = await import("./shell/start.tsx");
await start();
