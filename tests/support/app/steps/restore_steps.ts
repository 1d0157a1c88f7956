/// <reference lib="dom" />
/** The steps of restoring notes that several tests use. */
import { formatNoteSeed, type NoteSeed } from "../../../../src/core/protocol/seed/note_seed.ts";
import type { Journey } from "../journey.ts";

export async function openRestore(journey: Journey): Promise<void> {
  await journey.click("Settings");
  await journey.step("settings");
  await journey.click("Restore a backup");
}

/** Restores a file on the current screen. */
export async function restoreFile(
  journey: Journey,
  bytes: Promise<Uint8Array>,
  passphrase: string,
): Promise<void> {
  await journey.step("restore");
  await chooseFile(journey, "Choose a backup file", await bytes);
  await journey.step("restore-passphrase");
  await journey.type("restore-passphrase", passphrase);
  await journey.click("Open");
}

/** Restores a recovery code on the current screen, and opens the notes. */
export async function restoreCode(journey: Journey, seed: NoteSeed, passphrase: string): Promise<void> {
  await journey.step("restore");
  await journey.type("restore-text", formatNoteSeed(seed).reveal());
  await journey.click("Continue with this code");
  await chooseRestorePassphrase(journey, passphrase);
  await journey.step("restored");
  await journey.click("Show my notes");
  await journey.step("notes");
}

/** Chooses the passphrase of a code's new store. */
export async function chooseRestorePassphrase(journey: Journey, passphrase: string): Promise<void> {
  await journey.step("restore-new");
  await journey.type("passphrase", passphrase);
  await journey.type("repeat", passphrase);
  await journey.click("Open");
}

/** Chooses a file. The page may read it later, so it is deleted at the end of the tests. */
export async function chooseFile(journey: Journey, button: string, bytes: Uint8Array): Promise<void> {
  const path = await Deno.makeTempFile({ prefix: "tonado-backup-", suffix: ".age" });
  globalThis.addEventListener("unload", () => Deno.removeSync(path));
  await Deno.writeFile(path, bytes);
  await journey.choose(button, path);
}

/** Waits until the list has this many notes. */
export async function countNotes(journey: Journey, count: number): Promise<void> {
  await journey.step("notes");
  await journey.page.waitForFunction(
    (count) => document.querySelectorAll("li.note").length === count,
    {},
    count,
  );
}
