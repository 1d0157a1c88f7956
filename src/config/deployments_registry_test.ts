import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import type { Deployment } from "../core/protocol/deployments.ts";
import { Problem } from "../core/errors/problem.ts";
import {
  addToRegistry,
  assertRegistryWritable,
  readRegistry,
  readRegistryOrEmpty,
} from "./deployments_registry.ts";

Deno.test("registry: those of the release are well-formed and for their own network", async () => {
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
  Deno.test(`a file that is ${what} is refused by name`, async () => {
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

const pool = (amount: string, digit: string): Deployment => ({
  address: Address.parse(`0:${digit.repeat(64)}`),
  asset: "native",
  amount,
  denomination: BigInt(amount) * 10n ** 9n,
  deployedSeqno: 5,
  codeHash: "c".repeat(64),
  vkeyHash: "b".repeat(64),
  owner: null,
});

Deno.test("a written pool replaces its own entry, and keeps the others and the operator's policy", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-registry-" });
  const file = `${directory}/new/folder/pools.json`;
  equal((await readRegistryOrEmpty("testnet", file)).pools.size, 0);
  await assertRegistryWritable(file);
  equal((await readRegistryOrEmpty("testnet", file)).pools.size, 0, "asking writes nothing");
  await addToRegistry("testnet", file, [{ ...pool("1", "1"), feeMin: 7n }]);
  await addToRegistry("testnet", file, [pool("1", "2"), pool("10", "3")]);
  const { pools } = await readRegistry("testnet", file);
  deepEqual([...pools.keys()], ["native-1", "native-10"]);
  equal(pools.get("native-1")?.feeMin, 7n);
  equal(pools.get("native-1")?.address.toRawString(), `0:${"2".repeat(64)}`);
  deepEqual([...Deno.readDirSync(`${directory}/new/folder`)].map(({ name }) => name), ["pools.json"]);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("registry: an unwritable one is refused by the check and by the write, and leaves no temporary file", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-registry-" });
  await Deno.writeTextFile(`${directory}/file`, "");
  const inFile = `${directory}/file/pools.json`;
  await rejects(assertRegistryWritable(inFile), { code: "write_failed" });
  await rejects(addToRegistry("testnet", inFile, [pool("1", "1")]), { code: "write_failed" });
  await Deno.mkdir(`${directory}/pools.json`);
  await rejects(assertRegistryWritable(`${directory}/pools.json`));
  await rejects(addToRegistry("testnet", `${directory}/pools.json`, [pool("1", "1")]), {
    code: "invalid_registry",
  });
  deepEqual([...Deno.readDirSync(directory)].map(({ name }) => name).sort(), ["file", "pools.json"]);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("the check for write access changes neither the file nor a link to it", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-registry-" });
  const [file, link] = [`${directory}/pools.json`, `${directory}/link.json`];
  const text = '{ "network": "testnet",\n\n"pools": {} }';
  await Deno.writeTextFile(file, text, { mode: 0o600 });
  await Deno.symlink(file, link);
  await assertRegistryWritable(link);
  equal(await Deno.readTextFile(file), text);
  await addToRegistry("testnet", link, [pool("1", "1")]);
  equal((await Deno.lstat(link)).isSymlink, true);
  equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  equal((await readRegistry("testnet", file)).pools.size, 1);
  await Deno.remove(directory, { recursive: true });
});
