/** A relayer that accepts withdrawals, and stops before it has sent one. */
import { equal } from "node:assert/strict";
import type { Address } from "@ton/core";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { type RelayerHarness, withMethods } from "./relayer_harness.ts";

/** Starts a relayer whose wallet sends nothing. */
export function startWithoutSending(net: RelayerHarness): Promise<unknown> {
  return net.startRelayer({
    store: (store) => withMethods(store, { beginTransfer: () => Promise.reject(new Error("not now")) }),
  });
}

/**
 * Returns the body of a withdrawal that the relayer accepted and had not sent when it stopped, and its status
 * query.
 */
export async function acceptWithoutSending(
  net: RelayerHarness,
  key: string,
  note: Awaited<ReturnType<RelayerHarness["deposit"]>>,
  recipient: Address,
) {
  await net.untilIndexed(key);
  const body = await net.withdrawal(key, note, { recipient });
  const statusRequest = { pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) };
  const submitted = net.post("/withdraw", body);
  await waitUntil(
    "accepted",
    async () => (await net.post("/withdraw/status", statusRequest)).body.state === "accepted",
  );
  await net.relayer.close();
  equal((await submitted).status, 202);
  return { body, statusRequest };
}
