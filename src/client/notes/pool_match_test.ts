import { deepEqual, rejects } from "node:assert/strict";
import {
  jettonMaster,
  poolAddress,
  ScriptedPool,
  testAddress,
} from "../../../testkit/simulation/scripted_pool.ts";
import { createNote, type Note } from "../../core/protocol/note.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { assertNoteMatchesPool, type PoolJetton } from "./pool_match.ts";

const jetton = { asset: "jet", decimals: 6, jettonMaster };
const noteOf = (change: object = {}) =>
  createNote({ asset: "native", amount: "10", network: "testnet", ...change });
const denominations = [10_000_000_000n, 10_000_000n, 10_000_000_000n, 10_000_000n];

function match(kind: 0 | 1 | 2 | 3, note: Note, given?: PoolJetton) {
  const scene = new ScriptedPool({ kind, denomination: denominations[kind] });
  return assertNoteMatchesPool(new Pool(scene.chain, poolAddress), note, "testnet", given);
}

Deno.test("a note matches the pool of its network, version, asset and amount", async () => {
  const jettonNote = noteOf({ asset: "jet" });
  const matched = await Promise.all([
    ...[match(0, noteOf()), match(1, jettonNote, jetton), match(2, noteOf({ version: 2 }))],
    match(3, noteOf({ asset: "jet", version: 2 }), jetton),
  ]);
  deepEqual(matched.map(({ denomination }) => denomination), denominations);
});

const misfits: [
  name: string,
  kind: 0 | 1 | 2,
  note: Note,
  jetton: PoolJetton | undefined,
  message: RegExp,
][] = [
  [
    "another network",
    0,
    noteOf({ network: "mainnet" }),
    undefined,
    /the note is for mainnet, the pool is on testnet/,
  ],
  ["version 2", 0, noteOf({ version: 2 }), undefined, /for pools of version 2, the pool is of version 1/],
  [
    "version 1, for a pool of version 2,",
    2,
    noteOf(),
    undefined,
    /for pools of version 1, the pool is of version 2/,
  ],
  [
    "a jetton, for a pool of coins,",
    0,
    noteOf({ asset: "jet" }),
    jetton,
    /the note is for jet, the pool holds native/,
  ],
  ["coins, for a pool of jettons,", 1, noteOf(), jetton, /the note is for native, the pool holds jetton/],
  ["a jetton that is not given", 1, noteOf({ asset: "jet" }), undefined, /no jetton was given/],
  ["another jetton", 1, noteOf({ asset: "usdt" }), jetton, /the note is for usdt, not for jet/],
  [
    "a jetton with another master",
    1,
    noteOf({ asset: "jet" }),
    { ...jetton, jettonMaster: testAddress(9) },
    /the pool holds jetton kQBqamp.*, but jet is kQAJCQkJ/,
  ],
  [
    "a jetton with other decimals",
    1,
    noteOf({ asset: "jet" }),
    { ...jetton, decimals: 9 },
    /the note is for 10, the denomination of the pool is 0\.01/,
  ],
  [
    "another amount",
    0,
    noteOf({ amount: "100" }),
    undefined,
    /the note is for 100, the denomination of the pool is 10$/,
  ],
];
for (const [name, kind, note, given, message] of misfits) {
  Deno.test(`a note of ${name} does not match`, async () => {
    await rejects(match(kind, note, given), { code: "wrong_pool", message });
  });
}
