/** The program at a real terminal: questions, hidden answers, Ctrl-C, colours. */
import assert from "node:assert/strict";
import { readRegistry } from "../../src/config/deployments_registry.ts";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import { sourceCommand } from "../../testkit/programs/program.ts";
import { CONNECT_LINK } from "../support/cli/phone.ts";
import {
  COLOUR,
  CTRL_C,
  CTRL_D,
  ENTER,
  lacksTerminal,
  openTerminal,
  textsOf,
} from "../support/cli/terminal.ts";

const PASSPHRASE = "correct horse battery";

/** Starts a local network, and returns a function that opens a terminal. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "tonado-terminal-" });
  const net = await startLocalnet({ blockTimeMs: 200 });
  stack.defer(async () => {
    await net.close();
    await Deno.remove(dir, { recursive: true });
  });
  const registry = `${dir}/localnet.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.deployments));
  const at = ["--network", "localnet", "--endpoint", net.url, "--registry", registry];
  const env = { TONADO_NOTES: `${dir}/notes.age` };
  const tonado = (args: string[], more: Record<string, string> = {}, columns = 160) =>
    openTerminal([...sourceCommand(), ...args], { env: { ...env, ...more }, columns });
  const open = stack.move();
  return { tonado, at, env, net, registry, dir, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test({
  name: "tonado at a terminal",
  ignore: lacksTerminal,
  fn: async (t) => {
    await using scene = await openScene();
    await endsAtPassphrase(t, scene);
    await depositsByPhone(t, scene);
    await t.step("a whole deposit by phone fits into 80 columns", () => fitsNarrowTerminal(scene));
    await coloursLog(t, scene);
    await confirmsDeployment(t, scene);
  },
});

async function endsAtPassphrase(t: Deno.TestContext, { tonado, at, env }: Scene): Promise<void> {
  for (
    const [keys, typed] of [["Ctrl-C", `half${CTRL_C}`], ["Ctrl-D", CTRL_D], [
      "Ctrl-D after some letters",
      `half${CTRL_D}`,
    ]]
  ) {
    await t.step(`${keys} at the passphrase ends with 130, and restores the terminal`, async () => {
      const terminal = tonado(["deposit", "native-1", ...at]);
      await terminal.waitFor("New passphrase for");
      await terminal.type(typed);
      const { code, before, after } = await terminal.waitForExit();
      assert.equal(code, 130, terminal.screen);
      assert.match(terminal.screen, /\[cancelled\]/);
      assert.doesNotMatch(terminal.screen, /await|half/);
      assert.match(before, /[^-]icanon .*[^-]echo /s);
      assert.equal(after, before);
      assert.ok(terminal.screen.lastIndexOf("\x1b[?25h") >= terminal.screen.lastIndexOf("\x1b[?25l"));
      await assert.rejects(Deno.stat(env.TONADO_NOTES), "no store is created");
    });
  }
}

async function depositsByPhone(t: Deno.TestContext, { tonado, at }: Scene): Promise<void> {
  await t.step(
    "a deposit by phone hides the passphrase, shows link and code, and loses nothing on Ctrl-C",
    async () => {
      const terminal = tonado(["deposit", "native-1", "--connect", "localnet", ...at]);
      for (const question of ["New passphrase for", "Repeat passphrase"]) {
        await terminal.waitFor(question);
        await terminal.type(PASSPHRASE + ENTER);
      }
      await terminal.waitFor("is stored; nothing has been sent yet");
      await terminal.waitFor("/wallet?v=2");
      await terminal.waitFor(/[▀▄█]{20}/);
      await terminal.waitFor("waiting for the wallet");
      await terminal.type(CTRL_C);
      const { code, before, after } = await terminal.waitForExit();
      assert.equal(code, 130, terminal.screen);
      assert.match(terminal.screen, /to continue:\r\ntonado deposit --note [0-9a-f]{12}/);
      assert.ok(!terminal.screen.includes(PASSPHRASE), "the passphrase is not shown");
      assert.equal(after, before);
      assert.match(terminal.screen, COLOUR);
    },
  );

  await t.step("the note is stored afterwards, and with NO_COLOR nothing is coloured", async () => {
    const terminal = tonado(["note", "show"], { NO_COLOR: "1" });
    await terminal.waitFor("Passphrase of");
    await terminal.type(PASSPHRASE + ENTER);
    const { code } = await terminal.waitForExit();
    assert.equal(code, 0, terminal.screen);
    assert.match(terminal.screen, /[0-9a-f]{12} {2}depositing +native-1 /);
    assert.doesNotMatch(terminal.screen, COLOUR);
    assert.ok(!terminal.screen.includes(PASSPHRASE));
  });

  await t.step("long work shows its progress, and erases that line at the end", async () => {
    const terminal = tonado(["pool", "stats", "native-1", ...at]);
    assert.equal((await terminal.waitForExit()).code, 0, terminal.screen);
    assert.match(terminal.screen, /holds +0 unspent notes/);
    const [, drawn] = /░{24} [0-9]+ transactions read(.{4})/s.exec(terminal.screen) ?? [];
    assert.equal(drawn, "\r\x1b[K");
  });
}

async function fitsNarrowTerminal({ tonado, at, dir }: Scene): Promise<void> {
  const notes = { TONADO_NOTES: `${dir}/narrow.age` };
  const terminal = tonado(["deposit", "native-1", "--connect", "localnet", ...at], notes, 80);
  for (const question of ["New passphrase for", "Repeat passphrase"]) {
    await terminal.waitFor(question);
    await terminal.type(PASSPHRASE + ENTER);
  }
  await terminal.waitFor("waiting for the wallet");
  const [link] = CONNECT_LINK.exec(terminal.screen.replaceAll("\r", ""))!;
  assert.equal((await fetch(link)).status, 200, "the local network's wallet connects and pays");
  const { code } = await terminal.waitForExit();
  assert.equal(code, 0, terminal.screen);
  const screen = terminal.screen.replaceAll(/\{\{.*?\}\}/gs, "");
  const texts = textsOf(screen);
  // A terminal copies a line that it broke itself as one line, so the link is not split.
  assert.deepEqual(texts.filter((text) => text.length > 80), [link]);
  const qrWidths = texts.filter((text) => /^[ ▀▄█]{30,}$/.test(text)).map(({ length }) => length);
  assert.equal(new Set(qrWidths).size, 1);
  const shown = screen.replaceAll("\r", "").replaceAll(" \\\n  ", " ");
  assert.match(shown, /deposited\S* as leaf 0\n/);
  assert.match(
    shown,
    /\ntonado withdraw [0-9a-f]{12} --network localnet --endpoint \S+ --registry \S+ --to <fresh address> --relayer <url>\n/,
  );
}

async function coloursLog(t: Deno.TestContext, { net, tonado, registry, dir }: Scene): Promise<void> {
  const variants = [[{}, true], [{ NO_COLOR: "1" }, false], [{ TERM: "dumb" }, false]] as const;
  for (const [variables, coloured] of variants) {
    await t.step(
      `${JSON.stringify(variables)}: a relayer's log is ${
        coloured ? "" : "not "
      }coloured, and Ctrl-C ends it with success`,
      async () => {
        const [{ mnemonic, version }] = net.wallets;
        const terminal = tonado(["serve"], {
          RELAYER_NETWORK: "localnet",
          RELAYER_DEPLOYMENTS: registry,
          INDEXER_URL: net.url,
          RELAYER_WALLET_MNEMONIC: mnemonic,
          RELAYER_WALLET_VERSION: version,
          RELAYER_PORT: "0",
          RELAYER_DATA_DIR: `${dir}/relayer-${coloured}`,
          ...variables,
        });
        await terminal.waitFor("listens on");
        await terminal.type(CTRL_C);
        const { code, before, after } = await terminal.waitForExit();
        assert.deepEqual([code, after], [0, before], terminal.screen);
        assert.match(terminal.screen, /INF.*tonado:.* relayer /);
        assert.equal(COLOUR.test(terminal.screen), coloured, terminal.screen);
      },
    );
  }
}

async function confirmsDeployment(t: Deno.TestContext, { net, dir }: Scene): Promise<void> {
  const deploy = [
    "deploy",
    "--network",
    "localnet",
    "--endpoint",
    net.url,
    "--amount",
    "3",
    "--burn-owner",
  ];
  for (
    const [key, status, message] of [["n", 1, /not deployed/], [CTRL_D, 130, /\[cancelled\]/], [
      "y",
      0,
      /Deployed and verified/,
    ]] as const
  ) {
    await t.step(`money moves only after yes: ${key === CTRL_D ? "Ctrl-D" : key}`, async () => {
      const [{ mnemonic, version }] = net.wallets;
      const terminal = openTerminal([...sourceCommand(), ...deploy], {
        cwd: dir,
        env: { TONADO_WALLET_MNEMONIC: mnemonic, TONADO_WALLET_VERSION: version },
      });
      await terminal.waitFor("Send 2.5 GRAM to deploy on localnet?");
      await terminal.waitFor("No");
      await terminal.type(key);
      const { code, before, after } = await terminal.waitForExit();
      assert.equal(code, status, terminal.screen);
      assert.match(terminal.screen, message);
      assert.equal(after, before);
    });
  }
  const { pools } = await readRegistry("localnet", `${dir}/deployments/localnet.json`);
  assert.deepEqual([...pools.keys()], ["native-3"]);
}
