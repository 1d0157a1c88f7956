import { ok } from "node:assert/strict";
import { monitorEventLoopLag } from "./event_loop_lag.ts";

Deno.test("a thread that is blocked is reported as late", async () => {
  const late = Promise.withResolvers<number>();
  const end = monitorEventLoopLag(late.resolve, 10);
  const until = performance.now() + 60;
  while (performance.now() < until);
  const seconds = await late.promise;
  end();
  ok(seconds >= 0.04 && seconds < 5, String(seconds));
});
