import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import fc from "fast-check";
import vectors from "../../../../testkit/vectors/note_seed.json" with { type: "json" };
import { Secret } from "../../text/secret.ts";
import type { PoolVersion } from "../deployments.ts";
import type { Network } from "../network.ts";
import { formatNote } from "../note.ts";
import { createNoteSeed, deriveNote, formatNoteSeed, parseNoteSeed, type SeedPool } from "./note_seed.ts";

const pool = (
  { asset, amount, version, address }: {
    asset: string;
    amount: string;
    version: PoolVersion | number;
    address: string;
  },
): SeedPool => ({ asset, amount, address: Address.parse(address), ...version === 2 && { version } });
const seeds = vectors.seeds.map(({ seed }) => new Secret(Uint8Array.from(Buffer.from(seed, "hex"))));
const text = vectors.seeds[2].text;

Deno.test("seeds and their notes are those that an independent implementation derives", () => {
  for (const [i, { text, seed, notes }] of vectors.seeds.entries()) {
    equal(formatNoteSeed(seeds[i]).reveal(), text);
    equal(Buffer.from(parseNoteSeed(text).reveal()).toString("hex"), seed);
    for (const { index, network, note, ...facts } of notes) {
      equal(formatNote(deriveNote(seeds[i], network as Network, pool(facts), index)), note);
    }
  }
});

Deno.test("the text of a seed is accepted in any case and spacing, with o, i and l for digits", () => {
  const [spaced, upper] = [text.replaceAll("-", " "), text.toUpperCase()];
  const misread = `tonado-seed-${text.slice(12).replaceAll("0", "O").replaceAll("1", "l")}`;
  for (const form of [spaced, upper, ` ${text}\n`, text.replaceAll("-", ""), misread]) {
    deepEqual(parseNoteSeed(form).reveal(), parseNoteSeed(text).reveal(), form);
  }
});

Deno.test("a seed with any one character changed, two swapped or some missing is refused without being quoted", () => {
  const refused = (form: string) =>
    throws(() => parseNoteSeed(form), (error: Error & { code?: string }) => {
      const part = form.slice(20, 30) || text;
      ok(!error.message.includes(part) && !Deno.inspect(error).includes(part));
      return error.code === "invalid_seed";
    }, form);
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.nat(55),
      fc.integer({ min: 1, max: 31 }),
      (bytes, at, by) => {
        const whole = formatNoteSeed(new Secret(Uint8Array.from(bytes))).reveal().slice(12).replaceAll(
          "-",
          "",
        );
        const digits = "0123456789abcdefghjkmnpqrstvwxyz";
        const wrong = digits[(digits.indexOf(whole[at]) + by) % 32];
        refused(`tonado-seed-${whole.slice(0, at)}${wrong}${whole.slice(at + 1)}`);
        const next = (at + 1) % 56;
        if (next === 0 || whole[at] === whole[next]) return;
        refused(`tonado-seed-${whole.slice(0, at)}${whole[next]}${whole[at]}${whole.slice(next + 1)}`);
      },
    ),
    { numRuns: 200 },
  );
  for (
    const form of ["", "tonado-seed-", text.slice(0, -1), `${text}0`, text.slice(12), "u".repeat(10_000)]
  ) {
    refused(form);
  }
  refused(text.replace(/.$/, "u"));
});

Deno.test("notes differ by seed, network, pool and index", () => {
  const [here, there] = ["11", "22"].map((byte) =>
    pool({ asset: "native", amount: "1", version: 1, address: `0:${byte.repeat(32)}` })
  );
  const notes = [
    deriveNote(seeds[0], "testnet", here, 0),
    deriveNote(seeds[1], "testnet", here, 0),
    deriveNote(seeds[0], "localnet", here, 0),
    deriveNote(seeds[0], "testnet", there, 0),
    deriveNote(seeds[0], "testnet", here, 1),
    deriveNote(seeds[0], "testnet", here, 10),
  ];
  equal(new Set(notes.flatMap(({ nullifier, secret }) => [nullifier, secret])).size, 2 * notes.length);
  for (const index of [-1, 0.5, 2 ** 31, NaN]) {
    throws(() => deriveNote(seeds[0], "testnet", here, index), RangeError);
  }
});

Deno.test("a seed is random and prints as redacted", () => {
  const [one, two] = [createNoteSeed(), createNoteSeed()];
  ok(formatNoteSeed(one).reveal() !== formatNoteSeed(two).reveal());
  for (
    const printed of [Deno.inspect(one), JSON.stringify({ one }), `${one}`, Deno.inspect(formatNoteSeed(one))]
  ) {
    ok(printed.includes("[redacted]") && !printed.includes("tonado-seed"), printed);
  }
});
