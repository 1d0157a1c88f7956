/** A page of the app's adapters without its screens. Tests call the adapters by name. */
import { boot } from "../../../src/app/boot.ts";
import { readAppConfig } from "../../../src/app/browser/app_config.ts";
import { Records } from "../../../src/app/browser/indexeddb.ts";
import { browserPageCache } from "../../../src/app/browser/page_cache.ts";
import { openTabs } from "../../../src/app/browser/locks.ts";
import { browserNoteFiles } from "../../../src/app/browser/note_file.ts";
import { browserPasskeys } from "../../../src/app/browser/passkey.ts";
import { browserPlace } from "../../../src/app/browser/place.ts";
import { browserPreferences } from "../../../src/app/browser/preferences.ts";
import { browserDownloads } from "../../../src/app/browser/save_file.ts";
import { browserVaults } from "../../../src/app/browser/vaults.ts";
import { cameraScanner } from "../../../src/app/browser/camera.ts";
import { browserPayerSources } from "../../../src/app/wallet/sources.ts";
import type { OpenVault } from "../../../src/app/ports.ts";
import { openNoteBook } from "../../../src/app/services/note_book.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { proverLocations } from "../../../src/prover/locations.ts";
import { Address, Cell } from "@ton/core";

const booted = boot();
const records = new Records();
const config = await readAppConfig(booted.base);

const files = browserNoteFiles(records);
const vaults = browserVaults(booted.vaultWorker);
const sources = browserPayerSources({ ...config, base: booted.base, records });
const passphrase = new Secret("correct horse battery");
let vault: Promise<OpenVault> | undefined;

/** Opens the page's store, which encrypts wallets' sessions, or creates it. */
async function openVault(): Promise<OpenVault> {
  const stored = await files.read();
  if (stored) return await vaults.open(stored, passphrase);
  const created = await vaults.create(passphrase, { isLight: true });
  const { bytes } = await created.run({ kind: "change", bytes: undefined, change: { kind: "seed" } });
  await files.write(bytes);
  return created;
}

const lazyVault: OpenVault = {
  run: async (task) => await (await (vault ??= openVault())).run(task),
  close() {},
};

export const adapters = {
  booted,
  records,
  Records,
  config,
  Secret,
  Address,
  Cell,
  createProver,
  proverLocations,
  openNoteBook,
  files,
  vaults,
  leaves: browserPageCache(records),
  place: browserPlace(booted.base, records, booted.createServiceUrl),
  downloads: browserDownloads,
  scanner: cameraScanner,
  passkeys: browserPasskeys(records),
  preferences: browserPreferences,
  tabs: openTabs(),
  sources: { ...sources, list: () => sources.list(lazyVault) },
};
export type Adapters = typeof adapters;
Object.assign(globalThis, { adapters });
