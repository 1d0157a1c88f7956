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
import { openNoteBook } from "../../../src/app/services/note_book.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { proverLocations } from "../../../src/prover/locations.ts";
import { Address, Cell } from "@ton/core";

const booted = boot();
const records = new Records();
const config = await readAppConfig(booted.base);

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
  files: browserNoteFiles(records),
  vaults: browserVaults(booted.vaultWorker),
  leaves: browserPageCache(records),
  place: browserPlace(booted.base, records, booted.createServiceUrl),
  downloads: browserDownloads,
  scanner: cameraScanner,
  passkeys: browserPasskeys(records),
  preferences: browserPreferences,
  tabs: openTabs(),
  sources: browserPayerSources({ ...config, base: booted.base, records }),
};
export type Adapters = typeof adapters;
Object.assign(globalThis, { adapters });
