import { deepEqual, equal } from "node:assert/strict";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { PoolState } from "../indexer/pool_state.ts";
import { testAddress } from "../../../testkit/simulation/scripted_pool.ts";
import { ClaimRoom, payoutRoom } from "./claim_room.ts";

Deno.test("two claims for each withdrawal, below 256", () => {
  const rooms = [[0, 128], [232, 12], [233, 11], [254, 1], [255, 0], [999, 0]];
  for (const [claims, room] of rooms) equal(payoutRoom(claims), room);
});

Deno.test("claim room: there is none before the claims were read", () => {
  const room = new ClaimRoom();
  deepEqual([room.left(0), room.openClaims], [0, 0]);
  room.update({ at: 0, claims: 4, withdrawals: 9 }, 10_000);
  deepEqual([room.left(9), room.openClaims], [126, 4]);
});

Deno.test("a withdrawal takes room until a read that began 10 s after one that knew it", () => {
  const room = new ClaimRoom();
  room.update({ at: 0, claims: 250, withdrawals: 20 }, 10_000);
  deepEqual([room.left(20), room.left(22), room.left(25)], [3, 1, 0]);
  room.update({ at: 30_000, claims: 250, withdrawals: 22 }, 10_000);
  deepEqual([room.left(22), room.uncounted(22)], [1, 2]);
  room.update({ at: 39_999, claims: 250, withdrawals: 22 }, 10_000);
  equal(room.left(22), 1, "their payouts may still be on their way");
  room.update({ at: 49_999, claims: 253, withdrawals: 22 }, 10_000);
  deepEqual([room.left(22), room.uncounted(22)], [1, 0]);
});

Deno.test("withdrawals that the indexer has not seen count as soon as a read shows them", () => {
  const room = new ClaimRoom();
  room.update({ at: 0, claims: 0, withdrawals: 20 }, 10_000);
  room.update({ at: 10_000, claims: 0, withdrawals: 120 }, 10_000);
  equal(room.left(20), 28);
});

Deno.test("a native pool has no claims, and any number of withdrawals", () => {
  const deployment = { address: testAddress(1), asset: "native", denomination: 10n } as Deployment;
  const native = new PoolState("native-10", deployment, 1, "localnet");
  equal(native.payoutRoom, Infinity);
  const jetton = new PoolState("jet-10", { ...deployment, asset: "jet" }, 1, "localnet");
  jetton.claimRoom.update({ at: 0, claims: 250, withdrawals: 0 }, 10_000);
  equal(jetton.payoutRoom, 3);
});
