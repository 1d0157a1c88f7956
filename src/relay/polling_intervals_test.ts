import { deepEqual } from "node:assert/strict";
import { getPollingIntervals } from "./polling_intervals.ts";

Deno.test("8 pools use at most half of the requests that the endpoint allows", () => {
  const minPollMs = [1, 4, 10, Infinity].map((requestsPerSecond) =>
    getPollingIntervals("mainnet", { requestsPerSecond, pools: 8 }).minPollMs
  );
  deepEqual(minPollMs, [16_000, 4_000, 2_000, 2_000]);
});
