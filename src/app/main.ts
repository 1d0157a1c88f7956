/**
 * Loads the app in parts, each in a task of its own: modules that are imported together are evaluated in one task, which
 * would block a slow phone for a third of a second. The build preloads these imports.
 */
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
