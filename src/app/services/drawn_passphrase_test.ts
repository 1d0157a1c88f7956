import { deepEqual, equal, rejects } from "node:assert/strict";
import { mnemonicWordList } from "@ton/crypto";
import { wordlist as words } from "@ton/crypto/dist/mnemonic/wordlist.js";
import { Problem } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import { drawPassphrase, withLightFallback } from "./drawn_passphrase.ts";

const REPEATED = "zoo zoo zoo zoo zoo zoo"; // words of the list that are never drawn together

Deno.test("the words are BIP 39's: 2048, all different", () => {
  deepEqual(words, mnemonicWordList);
  equal(new Set(words).size, 2048);
});

Deno.test("a drawn passphrase has six words, chosen by eleven random bits each", async () => {
  const drawn = await drawPassphrase((bytes) => bytes.set([0, 0, 0, 1, 7, 255, 8, 2, 255, 254, 4, 0]));
  equal(drawn.reveal(), [0, 1, 2047, 2, 2046, 1024].map((i) => words[i]).join(" "));
});

Deno.test("words that repeat are drawn again", async () => {
  const draws = [[0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 8, 0], [0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5]];
  const drawn = await drawPassphrase((bytes) => bytes.set(draws.shift()!));
  equal(drawn.reveal(), [0, 1, 2, 3, 4, 5].map((i) => words[i]).join(" "));
  deepEqual(draws, []);
});

Deno.test("with too little memory, only drawn words use the cheaper scrypt", async () => {
  const lightChoices: boolean[] = [];
  const create = (isLight: boolean) => {
    lightChoices.push(isLight);
    return isLight ? Promise.resolve() : Promise.reject(new Problem("out_of_memory"));
  };
  await withLightFallback(new Secret("zoo zone zero youth young you"), create);
  deepEqual(lightChoices.splice(0), [false, true]);
  for (const own of ["correct horse battery staple", "zoo zone zero youth young xylophone", REPEATED]) {
    await rejects(withLightFallback(new Secret(own), create), { code: "out_of_memory" });
    deepEqual(lightChoices.splice(0), [false], own);
  }
});
