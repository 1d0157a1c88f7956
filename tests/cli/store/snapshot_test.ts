/** A relayer exports its history of a version 2 pool. Another relayer verifies it against the chain and continues from it. */
import { deepEqual, equal, match } from "node:assert/strict";
import { createHash } from "node:crypto";
import { toNano } from "@ton/core";
import { formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { RelayerHarness } from "../../support/relayer/relayer_harness.ts";
import { Version2Harness } from "../../support/relayer/version2_harness.ts";

/** The maximum cost of a withdrawal of jettons to the relayer, in nano. */
const maxCostNano = toNano(10);

/** Starts a version 2 pool with three settled deposits and one payment, and stops its relayer. */
async function openScene(key: string) {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  await net.startRelayer({ maxCostNano });
  const v2 = new Version2Harness(net, key);
  const registry = `${net.directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const at = ["--network", "localnet", "--registry", registry, "--endpoint", net.localnet.url];
  const file = `${net.directory}/pools.jsonl`;
  const folder = `${net.directory}/imported`;
  const notes = [v2.note(), v2.note(), v2.note()];
  for (const { commitment } of notes) await v2.deposit(commitment);
  await v2.settle(notes.map(({ commitment }) => commitment));
  const nullifierHash = poseidon([notes[0].nullifier, 0n]);
  await net.post("/withdraw", await v2.request(notes[0], 0));
  await net.untilState({ pool: v2.address, nullifierHash: fieldToHex(nullifierHash) }, "confirmed");
  const wallet = net.relayerAddress.toRawString();
  await net.relayer.close();
  const store = await openKvStore(net.directory);
  await store.claimIdentity({ network: "localnet", wallet });
  await store.close();
  const open = stack.move();
  return {
    file,
    net,
    registry,
    wallet,
    at,
    v2,
    notes,
    folder,
    nullifierHash,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

for (const key of ["native-10-v2", "jet-10-v2"]) {
  Deno.test(`tonado snapshot: a history of ${key} is exported, verified and imported, and another relayer continues from it`, async (t) => {
    await using scene = await openScene(key);
    await t.step("export writes only public data, once", () => exportsOnce(scene));
    await t.step(
      "verify agrees with the chain, also after later deposits",
      () => verifiesAgainstChain(scene),
    );
    await t.step(
      "a file that contradicts the chain is refused, and imports nothing",
      () => refusesForgedHistory(scene),
    );
    await continuesFromSnapshot(t, scene);
  });
}

async function exportsOnce({ file, net, registry, wallet }: Scene): Promise<void> {
  const args = ["snapshot", "export", file, "--data-dir", net.directory, "--registry", registry];
  const { code, stdout, stderr } = await runCli([...args, "--json"]);
  equal(code, 0, stderr);
  const { pools, deposits, payments } = JSON.parse(stdout);
  deepEqual([pools, deposits, payments], [2, 3, 1], "both pools, of which one is empty");
  const text = await Deno.readTextFile(file);
  equal(text.includes(wallet), false);
  equal(text.includes('"job"'), false);
  const again = await runCli(args);
  deepEqual([again.code !== 0, await Deno.readTextFile(file)], [true, text]);
}

async function verifiesAgainstChain({ file, at, v2, notes }: Scene): Promise<void> {
  const later = v2.note();
  for (let round = 0; round < 2; round++) {
    const { code, stdout, stderr } = await runCli(["snapshot", "verify", file, ...at, "--json"]);
    equal(code, 0, stderr);
    const { pools } = JSON.parse(stdout);
    const { deposits, settled, payments, root } = pools.find(({ deposits }: { deposits: number }) =>
      deposits > 0
    );
    deepEqual([deposits, settled, payments], [3, 3, 1]);
    if (round === 0) equal(root, fieldToHex(v2.tree.root));
    if (round === 0) await v2.deposit(later.commitment);
  }
  notes.push(later);
}

async function refusesForgedHistory({ file, net, at, folder, nullifierHash, v2 }: Scene): Promise<void> {
  const lines = (await Deno.readTextFile(file)).trimEnd().split("\n");
  const forge = async (change: (rows: string[]) => string[], what: RegExp) => {
    const rows = change(lines.slice(1, -1));
    const body = [lines[0], ...rows].join("\n") + "\n";
    const trailer = { rows: rows.length, sha256: createHash("sha256").update(body).digest("hex") };
    const forged = `${net.directory}/forged.jsonl`;
    await Deno.writeTextFile(forged, `${body}${JSON.stringify(trailer)}\n`);
    const { code, stderr } = await runCli(["snapshot", "import", forged, ...at, "--data-dir", folder]);
    equal(code !== 0, true);
    match(stderr, what);
    deepEqual(await Array.fromAsync(Deno.readDir(folder)).catch(() => []), []);
  };
  const isPayment = (row: string) => row.includes('"withdrawal"') || row.includes('"payment"');
  await forge((rows) => rows.filter((row) => !isPayment(row)), /spent: its digests are not those/);
  await forge(
    (rows) => rows.map((row) => row.replaceAll(fieldToHex(nullifierHash), fieldToHex(5n))),
    /spent:/,
  );
  await forge(
    (rows) =>
      rows.map((row) => row.includes('"leafIndex":2') ? row.replace(/0x[0-9a-f]{64}/, fieldToHex(5n)) : row),
    /a root that its leaves do not give/,
  );
  await forge(
    (rows) => rows.map((row) => row.includes('"cursor"') ? row.replace(/"hash":"..../, '"hash":"0000') : row),
    /\[chain_inconsistent\]/,
  );
  const pool = net.pool("native-10").address.toRawString();
  await forge(
    (rows) => rows.map((row) => row.replace(v2.pool.address.toRawString(), pool)),
    /\[(chain_inconsistent|invalid_export)\]/,
  );
  await forge(
    (rows) => rows.map((row) => row.replace(/"pool":"0:..../, '"pool":"0:0000')),
    /the registry has no pool/,
  );
}

async function continuesFromSnapshot(
  t: Deno.TestContext,
  { file, at, folder, net, v2, notes, nullifierHash }: Scene,
): Promise<void> {
  await t.step("after import, a relayer is ready with the same tree and the same spent notes", async () => {
    const { code, stderr } = await runCli(["snapshot", "import", file, ...at, "--data-dir", folder]);
    equal(code, 0, stderr);
    await net.startRelayer({ maxCostNano, openStore: () => openKvStore(folder) });
    await v2.untilLeaves(3);
    await v2.settle([notes[3].commitment]);
    const query = `pool=${encodeURIComponent(v2.address)}`;
    equal((await net.get(`/tree/root?${query}`)).body.root, fieldToHex(v2.tree.root));
    deepEqual((await net.get(`/spent?${query}`)).body.nullifierHashes, [fieldToHex(nullifierHash)]);
    equal((await net.post("/withdraw", await v2.request(notes[3], 3))).status, 200);
    const id = { pool: v2.address, nullifierHash: fieldToHex(poseidon([notes[3].nullifier, 3n])) };
    equal((await net.untilState(id, "confirmed", "failed")).state, "confirmed");
    const again = await runCli(["snapshot", "import", file, ...at, "--data-dir", `${net.directory}/other`]);
    equal(again.code, 0, again.stderr);
    const twice = await runCli(["snapshot", "import", file, ...at, "--data-dir", `${net.directory}/other`]);
    match(twice.stderr, /\[store_not_empty\]/);
  });
  equal(await v2.pool.getSettled(), 4);
}
