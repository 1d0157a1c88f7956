import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import { createNoteRecord } from "../../../client/notes/note_store.ts";
import { createNote, formatNote } from "../../../core/protocol/note.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { DepositTicket } from "../../flows/deposit/deposit_state.ts";
import type { Payer } from "../../ports.ts";
import { entryOf } from "../../vault/vault_content.ts";
import type { AppContext, Session } from "../context.ts";
import { newestTransaction, waitForReturn } from "./payment_return.ts";

const pool = new Address(0, Buffer.alloc(32, 1));
const payer = { address: new Address(0, Buffer.alloc(32, 2)) } as Payer;
const record = createNoteRecord(
  formatNote(createNote({ asset: "native", amount: "1", network: "testnet" })),
  1,
);

Deno.test("each refused payment is followed by its own return, not by an earlier one", async () => {
  const senders: Address[] = []; // of the wallet's incoming messages, oldest first
  const idAt = (lt: number) => ({ lt: BigInt(lt), hash: "" });
  const chain = {
    account: () => Promise.resolve({ last: senders.length === 0 ? undefined : idAt(senders.length) }),
    transactions: () =>
      Promise.resolve(
        senders.map((src, i) => ({
          id: idAt(i + 1),
          raw: { inMessage: { info: { type: "internal", src } } },
        }))
          .reverse(),
      ),
  } as unknown as Chain;
  let pauses = 0;
  const context = {
    registry: {
      network: "testnet",
      pools: new Map([["native-1", { asset: "native", amount: "1", address: pool }]]),
    },
    connections: () => ({ depositEndpoint: "" }),
    connect: () => chain,
    pollIntervalMs: 1,
    clock: {
      now: () => 0,
      sleep() {
        pauses++;
        senders.push(pool);
        return Promise.resolve();
      },
    },
  } as unknown as AppContext;
  const session = { store: { list: () => Promise.resolve([entryOf(record)]) } } as unknown as Session;
  const ticket = { id: record.id } as DepositTicket;
  const arrived: number[] = [];
  for (let payment = 0; payment < 2; payment++) {
    const after = await newestTransaction(chain, payer.address);
    equal(await waitForReturn(context, session, { ticket, payer, after }, AbortSignal.timeout(5_000)), true);
    arrived.push(senders.length);
  }
  deepEqual(arrived, [1, 2]);
  equal(pauses, 2, "each one was waited for");
});
