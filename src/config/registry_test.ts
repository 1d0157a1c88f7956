import { equal, match, rejects } from "node:assert/strict";
import { Problem } from "../core/errors.ts";
import { readRegistry } from "./registry.ts";

Deno.test("registry: the ones that come with the release are well-formed and of their own network", async () => {
  for (const network of ["mainnet", "testnet"] as const) {
    equal((await readRegistry(network)).network, network);
  }
});

const bad: [what: string, content: string | undefined, says: RegExp][] = [
  ["missing", undefined, /cannot be read/],
  ["no JSON", "{", /not JSON/],
  ["of another network", '{"network":"mainnet","pools":{}}', /is of mainnet, not of testnet/],
  ["malformed", '{"network":"testnet","pools":{"native-1":{}}}', /\/pools\/native-1\/address/],
];
for (const [what, content, says] of bad) {
  Deno.test(`registry: a file that is ${what} is refused by name`, async () => {
    const directory = await Deno.makeTempDir({ prefix: "tonado-registry-" });
    const file = `${directory}/pools.json`;
    if (content !== undefined) await Deno.writeTextFile(file, content);
    await rejects(readRegistry("testnet", file), (error) => {
      match((error as Problem).message, says);
      match((error as Problem).message, /pools\.json/);
      return (error as Problem).code === "invalid_registry";
    });
    await Deno.remove(directory, { recursive: true });
  });
}
