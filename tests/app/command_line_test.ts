/// <reference lib="dom" />
/**
 * One note store in two programs: the app opens the command line's store and the reverse, and one seed gives
 * both the same notes.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address, toNano } from "@ton/core";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { downloaded, inBrowser, type Scene } from "../support/app/app_scene.ts";
import { cameraArguments, qrVideo } from "../support/app/camera_picture.ts";
import { type Journey, PASSPHRASE } from "../support/app/journey.ts";
import { chooseRestorePassphrase } from "../support/app/steps/restore_steps.ts";
import { parseJsonLines } from "../support/cli/cli_fixture.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { chromium } from "../support/system/chromium.ts";

const PAYMENT_TIMEOUT_MS = 180_000;
/** The denomination of 10, less the relayer's fee of 0.05. */
const PAYOUT = toNano("9.95");
const recipient = new Address(0, crypto.getRandomValues(Buffer.alloc(32)));
const formatAddress = (address: Address) => address.toString({ testOnly: true, bounceable: false });

Deno.test({
  name: "a store goes from the command line to the app and back, and its seed finds the same notes in both",
  ignore: chromium === undefined,
  fn: () =>
    withTempDirectory(async (folder) => {
      await Deno.writeFile(`${folder}/address.y4m`, qrVideo(`ton://transfer/${formatAddress(recipient)}`));
      await inBrowser(async (scene) => {
        const { journey, downloads } = scene;
        const notes = `${folder}/notes.age`;
        const [first] = await cli(scene, notes, "create", "native-10-v2");
        await openFile(journey, notes);
        await pay(scene, journey);
        await withdraw(scene, journey);

        // The command line opens the app's backup as its store.
        await journey.click("Settings");
        await journey.click("Make a backup");
        await journey.click("Save a file");
        const backup = await downloaded(downloads, ".age");
        const [{ notes: checked }] = await cli(scene, backup, "check");
        assert.deepEqual(checked.map(({ id, state }) => [id, state]), [[first.id, "withdrawn"]]);
        const [second] = await cli(scene, backup, "create", "native-10-v2");
        await journey.click("Settings");
        await journey.click("Restore a backup");
        await openFile(journey, backup);
        await pay(scene, journey);

        // The seed alone recovers the paid notes of both programs, and no others.
        const env = { TONADO_NOTES: backup, TONADO_PASSPHRASE: PASSPHRASE };
        const { stdout: seed } = await runCli(["note", "seed", "show", "--quiet"], env);
        const fresh = await scene.freshBrowser();
        await restoreSeed(fresh, seed.trim());
        const shown = await fresh.page.$$eval(
          "li.note .state",
          (states) => states.map((each) => each.textContent!.replace(/^\S+\s+/, "").trim()).sort(),
        );
        assert.deepEqual(shown, ["Paid in", "Withdrawn"]);
        await Deno.writeTextFile(`${folder}/seed.txt`, seed);
        const recovered = `${folder}/recovered.age`;
        const restored = await runCli(["note", "seed", "restore", `${folder}/seed.txt`], {
          ...env,
          TONADO_NOTES: recovered,
        });
        assert.equal(restored.code, 0, restored.stderr);
        const [{ notes: found }] = await cli(scene, recovered, "recover");
        assert.deepEqual(
          found.map(({ id, state }) => [id, state]).sort(),
          [[first.id, "withdrawn"], [second.id, "deposited"]].sort(),
        );
      }, { sharedEndpoint: true, args: cameraArguments(`${folder}/address.y4m`) });
    }),
});

interface NoteFacts {
  readonly id: string;
  readonly state: string;
}

/** Runs a command. `create` prints a note, the others a list. */
async function cli(
  { net }: Scene,
  notes: string,
  command: "create" | "check" | "recover",
  ...rest: string[]
): Promise<(NoteFacts & { readonly notes: readonly NoteFacts[] })[]> {
  const chain = ["--network", "localnet", "--endpoint", net.indexer, "--registry", net.registry];
  const env = { TONADO_NOTES: notes, TONADO_PASSPHRASE: PASSPHRASE };
  const { code, stdout, stderr } = await runCli(["note", command, ...rest, ...chain, "--json"], env);
  assert.equal(code, 0, stderr);
  return parseJsonLines(stdout);
}

/** Opens a file from the start screen or from the settings. */
async function openFile(journey: Journey, path: string): Promise<void> {
  if (await journey.page.$('[data-step="absent"]')) await journey.click("I have a backup");
  await journey.step("restore");
  await journey.inspect("restore");
  await journey.choose("Choose a backup file", path);
  await journey.step("restore-passphrase");
  await journey.inspect("restore-passphrase");
  await journey.type("restore-passphrase", PASSPHRASE);
  await journey.click("Open");
  await journey.step("restored");
  await journey.inspect("restored");
  await journey.click("Show my notes");
  await journey.step("notes");
}

async function restoreSeed(journey: Journey, seed: string): Promise<void> {
  await journey.step("absent");
  await journey.click("I have a backup");
  await journey.step("restore");
  await journey.click("Scan a paper"); // the camera shows an address, which is no paper
  await journey.page.waitForSelector("dialog[open] video");
  await journey.page.waitForSelector("::-p-text(This is not the right QR code)");
  await journey.inspect("scan");
  await journey.click("Close");
  await journey.type("restore-text", seed);
  await journey.click("Continue with this code");
  await journey.step("restore-new");
  await journey.inspect("restore-new");
  await chooseRestorePassphrase(journey, "another horse battery");
  await journey.step("restored");
  await journey.click("Show my notes");
  await journey.step("notes");
  await waitUntil(
    "both notes are found",
    async () => (await journey.page.$$("li.note")).length === 2,
    60_000,
  );
  await journey.page.waitForSelector("li.note.deposited", { timeout: PAYMENT_TIMEOUT_MS });
}

/** Pays for the note that waits for its payment. */
async function pay({ net }: Scene, journey: Journey): Promise<void> {
  await (await journey.page.waitForSelector("li.note.created button"))!.click();
  const link = await journey.page.waitForSelector('a[href^="ton://"]');
  const url = await link!.evaluate((each) => each.getAttribute("href")!);
  const { code, stderr } = await runCli(["localnet", "pay", url, "--endpoint", net.indexer]);
  assert.equal(code, 0, stderr);
  await journey.step("deposited", PAYMENT_TIMEOUT_MS);
  await journey.click("Show my notes");
  await journey.step("notes");
  await journey.page.waitForSelector("li.note.deposited button", { timeout: PAYMENT_TIMEOUT_MS });
}

/**
 * Withdraws a note. Deposits and withdrawals use one endpoint here: the app offers Settings until the user
 * consents, and the review lists the endpoint.
 */
async function withdraw({ net }: Scene, journey: Journey): Promise<void> {
  const withdrawButton = "li.note.deposited button";
  await (await journey.page.waitForSelector(withdrawButton))!.click();
  await journey.step("recipient");
  assert.match(await journey.text(), /same server, which could connect them/);
  await journey.inspect("recipient-shared");
  await journey.click("Keep this one");
  await journey.page.reload();
  await journey.step("locked");
  await journey.type("passphrase", PASSPHRASE);
  await journey.click("Unlock");
  await journey.step("recipient");
  assert.doesNotMatch(await journey.text(), /same server/);
  await journey.click("Scan an address");
  await journey.page.waitForFunction(
    (text) => document.querySelector<HTMLTextAreaElement>("#recipient")!.value === text,
    {},
    formatAddress(recipient),
  );
  await journey.click("Continue");
  await journey.step("review");
  assert.match(await journey.text(), /same server, which could connect them/);
  await journey.page.click("#accept");
  await journey.page.click("button.primary");
  await journey.step("withdrawn", PAYMENT_TIMEOUT_MS);
  await journey.click("Done");
  await journey.step("notes");
  const chain = connect({ network: "localnet", endpoint: net.indexer });
  assert.equal((await chain.account(recipient)).balance, PAYOUT);
}
