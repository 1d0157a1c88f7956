/** The network of a command: the note determines it, and the endpoint must serve the same one. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../src/client/notes/note_store.ts";
import { parseJsonLines, startCliFixture } from "../support/cli/cli_fixture.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { startRelayerProxy } from "../support/relayer/relayer_proxy.ts";
import { sourceCommand } from "../../testkit/programs/program.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const MAINNET = {
  root_hash: "F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk=",
  file_hash: "XplPz01CXAps5qeSWUtxcyBfdAo5zVb1N979KLSKD24=",
};

/** Serves an endpoint that only reports its zero state. */
function endpointOf(init?: object) {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({ ok: true, result: { last: { seqno: 7 }, ...init && { init } } }),
  );
  return { url: `http://127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
}

/** Starts a local network with a relayer, and stores one deposited note. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { directory: dir, registry, env, payerFlags: payer, net, api } = fixture;
  const relayer = stack.use(startRelayerProxy(api));
  const here = ["--registry", registry, "--endpoint", net.localnet.url];
  const [id] = (await fixture.depositNotes(1)).map(noteId);
  const fresh = Address.parse(`0:${"5a".repeat(32)}`).toString({ bounceable: false, testOnly: true });
  const open = stack.move();
  return { net, payer, dir, env, id, here, fresh, relayer, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("networks of commands", async (t) => {
  await using scene = await openScene();
  await refusesOtherNetworks(t, scene);
  await readsNetworkFromNote(t, scene);
  await t.step(
    "deposit --resume reads the network from the note, localnet pay pays its link, and --qr names its file",
    () => resumesAndPaysLink(scene),
  );
  await t.step(
    "localnet pay refuses other machines, and links that it does not understand",
    () => refusesForeignLinks(scene),
  );
});

async function refusesOtherNetworks(t: Deno.TestContext, { net, payer, dir, env }: Scene): Promise<void> {
  await t.step("an endpoint of another network is refused, and both are named", async () => {
    const at = ["--endpoint", net.localnet.url];
    for (
      const args of [["status", ...at], ["wallet", "show", ...payer, ...at]]
    ) {
      for (const network of ["testnet", "mainnet"]) {
        const { code, stdout, stderr } = await runCli([
          ...args,
          "--network",
          network,
          "--registry",
          await emptyRegistry(dir, network),
        ], env);
        assert.match(stderr, new RegExp(`the endpoint serves localnet, not ${network} \\[wrong_network\\]`));
        assert.deepEqual([code, stdout], [1, ""]);
      }
    }
  });

  await t.step("serve refuses an endpoint of another network, and both are named", async () => {
    const [command, ...args] = sourceCommand();
    const { code, stderr } = await childCommand(command, {
      args: [...args, "serve"],
      env: {
        RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
        RELAYER_NETWORK: "testnet",
        INDEXER_URL: net.localnet.url,
        RELAYER_DEPLOYMENTS: await emptyRegistry(dir, "testnet"),
        RELAYER_DATA_DIR: `${dir}/serve`,
        RELAYER_PORT: "0",
      },
      stdin: "null",
    }).output();
    const log = new TextDecoder().decode(stderr);
    assert.match(log, /the endpoint serves localnet, not testnet/);
    assert.equal(code, 1, log);
  });

  await t.step(
    "a mainnet endpoint is refused as localnet; a private chain and an endpoint without zero state pass",
    async () => {
      for (
        const [init, code] of [[MAINNET, 1], [{ ...MAINNET, root_hash: MAINNET.file_hash }, 0], [
          undefined,
          0,
        ]] as const
      ) {
        const { url, close } = endpointOf(init);
        const file = await emptyRegistry(dir, "localnet");
        const result = await runCli([
          "status",
          "--network",
          "localnet",
          "--registry",
          file,
          "--endpoint",
          url,
        ]);
        assert.equal(result.code, code, result.stderr);
        if (code) assert.match(result.stderr, /the endpoint serves mainnet, not localnet/);
        await close();
      }
    },
  );
}

async function readsNetworkFromNote(
  t: Deno.TestContext,
  { id, here, env, fresh, relayer }: Scene,
): Promise<void> {
  await t.step("note check reads the network from the notes", async () => {
    for (const which of [[], [id]]) {
      const { code, stdout, stderr } = await runCli(["note", "check", ...which, ...here, "--json"], env);
      assert.equal(code, 0, stderr);
      assert.deepEqual([JSON.parse(stdout).network, JSON.parse(stdout).notes[0].state], [
        "localnet",
        "deposited",
      ]);
    }
  });

  await t.step("another network than the note's is refused, and both are named", async () => {
    for (
      const args of [
        ["note", "check", id],
        ["withdraw", id, "--to", fresh],
        ["deposit", "--note", id],
        ["compliance", "report", id, "--for", "a test"],
      ]
    ) {
      const { code, stderr } = await runCli([...args, "--network", "testnet"], env);
      assert.match(stderr, new RegExp(`--network: is testnet, but note ${id} belongs to localnet`));
      assert.equal(code, 2);
    }
  });

  await t.step("a refund above the relayer's maximum is refused before anything is proved", async () => {
    const { code, stdout, stderr } = await runCli(
      ["withdraw", id, "--to", fresh, "--relayer", relayer.url, "--refund", "0.2", "--yes", ...here],
      env,
    );
    assert.match(stderr, /Refund is above .* \[refund_above_limit\]\n.*: pays 0\.1 GRAM at most/);
    assert.match(stderr, /`--refund 0\.1` or less/);
    assert.doesNotMatch(stdout + stderr, /proving/);
    assert.equal(code, 1);
  });

  await t.step("withdraw reads the network from the note", async () => {
    const { code, stderr } = await runCli(
      ["withdraw", id, "--to", fresh, "--relayer", relayer.url, "--refund", "0.1", "--yes", ...here],
      env,
    );
    assert.equal(code, 0, stderr);
  });
}

async function resumesAndPaysLink({ here, env, dir, net }: Scene): Promise<void> {
  const interrupt = new AbortController();
  const args = ["deposit", "native-10-v2", "--network", "localnet", ...here];
  await runCli(args, env, {
    onStdout: (text) => text.includes("ton://transfer/") && interrupt.abort(),
    interruptSignal: interrupt.signal,
  });
  const paid = Promise.withResolvers<Awaited<ReturnType<typeof runCli>>>();
  const qr = `${dir}/code.svg`;
  const { code, stdout, stderr } = await runCli(["deposit", "--resume", ...here, "--qr", qr], env, {
    onStdout(text) {
      const [link] = /ton:\/\/transfer\/\S+/.exec(text) ?? [];
      if (link) {
        paid.resolve(runCli(["localnet", "pay", link, "--endpoint", net.localnet.url, "--json"], env));
      }
    },
  });
  assert.equal(code, 0, stderr);
  assert.ok(stdout.includes(`The QR code was written to ${qr}.`), stdout);
  const payment = await paid.promise;
  assert.equal(payment.code, 0, payment.stderr);
  const [wallet] = net.localnet.wallets;
  const [{ from, amount }] = parseJsonLines(payment.stdout);
  assert.ok(Address.parse(from).equals(wallet.address));
  assert.equal(amount, "10000000000");
}

async function refusesForeignLinks({ net }: Scene): Promise<void> {
  const to = net.localnet.wallets[1].address.toString();
  const cases: [string, string[], RegExp][] = [
    [
      `ton://transfer/${to}?amount=1`,
      ["--endpoint", "https://toncenter.com"],
      /--endpoint: .*not this machine/,
    ],
    [`ton://transfer/${to}?amount=x`, [], /link: has no amount/],
    [`ton://transfer/${to}?amount=1&bin=zz`, [], /link: has the parameter "bin"/],
    [`ton://transfer/${to}?amount=1&jetton=zz`, [], /link: has the parameter "jetton"/],
    [`https://example.org/${to}`, [], /link: is not a ton:\/\/transfer link/],
  ];
  for (const [link, flags, expected] of cases) {
    const { code, stderr } = await runCli(["localnet", "pay", link, ...flags]);
    assert.match(stderr, expected);
    assert.equal(code, 2);
  }
}

async function emptyRegistry(dir: string, network: string): Promise<string> {
  const file = `${dir}/empty-${network}.json`;
  await Deno.writeTextFile(file, JSON.stringify({ network, pools: {} }));
  return file;
}
