/// <reference lib="dom" />
/** What the browser's profile on the disk tells of the wallet that paid, log files of its database included. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import {
  chooseAmount,
  createStore,
  inBrowser,
  proveBackup,
  type Scene,
} from "../../support/app/app_scene.ts";
import { formsOf } from "../../support/app/secret_forms.ts";
import { chromium } from "../../support/system/chromium.ts";

Deno.test({
  name: "neither a deposit nor erasing everything leaves the paying wallet or its session's key on the disk",
  ignore: chromium === undefined,
  fn: () =>
    withTempDirectory(async (profile) => {
      let secrets: ReadonlyMap<string, readonly string[]> = new Map();
      await inBrowser(async (scene) => {
        const { journey } = scene;
        secrets = await payByBridge(scene);
        await assertNoTrace(profile, "during a payment", secrets);
        await journey.click("Pay with");
        await journey.step("deposited");
        await journey.click("Show my notes");
        await waitUntil("the wallet is disconnected", () => Promise.resolve(scene.wallet.isDisconnected));
        await assertNoTrace(profile, "after a deposit", secrets);
        await journey.click("Settings");
        await journey.type("erase", "ERASE");
        await journey.click("Erase everything here");
        await journey.step("absent");
        await assertNoTrace(profile, "after erasing everything", secrets);
      }, { profile });
      await assertNoTrace(profile, "after the browser has ended", secrets);
    }),
});

/** Opens a payment, and connects a wallet by a bridge. Returns the forms of what may not be stored. */
async function payByBridge(
  { journey, downloads, connectWallet, wallet }: Scene,
): Promise<ReadonlyMap<string, readonly string[]>> {
  await journey.page.evaluateOnNewDocument(recordKeys);
  await journey.page.reload();
  await createStore(journey);
  await chooseAmount(journey, "native-10-v2");
  await proveBackup(journey, downloads);
  await journey.step("pay-");
  await connectWallet();
  await journey.page.waitForSelector("::-p-text(Pay with Test wallet)");
  const drawn = await journey.page.evaluate(() => (globalThis as unknown as { drawn: number[][] }).drawn);
  assert.ok(drawn.length > 0, "the session's key was drawn");
  const { address } = wallet;
  const friendly = [true, false].flatMap((bounceable) =>
    [true, false].flatMap((testOnly) =>
      [true, false].map((urlSafe) => address.toString({ bounceable, testOnly, urlSafe }))
    )
  );
  return new Map([
    ["the wallet's address", [...formsOf(address.hash), address.hash.toString("latin1"), ...friendly]],
    ...drawn.map((bytes, i): [string, string[]] => {
      const key = Uint8Array.from(bytes);
      return [`drawn key ${i}`, [...formsOf(key), Buffer.from(key).toString("latin1")]];
    }),
  ]);
}

/** Runs in the page. Records each key that it draws. */
function recordKeys(): void {
  const drawn: number[][] = [];
  const draw = crypto.getRandomValues.bind(crypto);
  Object.assign(globalThis, { drawn });
  Object.assign(crypto, {
    getRandomValues(values: Uint8Array<ArrayBuffer>) {
      draw(values);
      if (values.byteLength === 32) drawn.push([...values]);
      return values;
    },
  });
}

/** Searches all files as bytes, also for texts of two bytes a character. */
async function assertNoTrace(
  profile: string,
  when: string,
  secrets: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const needles = [...secrets].flatMap(([what, forms]) =>
    forms.flatMap((form) =>
      [form, Buffer.from(form, "utf16le").toString("latin1")].map((text) => [what, text] as const)
    )
  );
  const found: string[] = [];
  let files = 0;
  for await (const path of filesBelow(profile)) {
    const content = Buffer.from(await Deno.readFile(path).catch(() => new Uint8Array())).toString("latin1");
    files++;
    for (const [what, text] of needles) {
      const count = content.split(text).length - 1;
      if (count > 0) found.push(`${what}: ${count} times in ${path.slice(profile.length)}`);
    }
  }
  assert.ok(files > 10, "the profile is on the disk");
  assert.deepEqual(found, [], when);
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isFile, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isFile) yield path;
    if (isDirectory) yield* filesBelow(path);
  }
}
