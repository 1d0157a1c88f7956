/** Settings of two tabs that share one storage. */
import { deepEqual, equal } from "node:assert/strict";
import type { Preferences } from "../ports.ts";
import { openSettings } from "./stored_settings.ts";

/** Storage of two tabs. Each hears of the other's writes when `deliver` is called. */
function openTabs() {
  const stored: { text: string | undefined } = { text: undefined };
  const listeners: (() => void)[] = [];
  const preferences: Preferences = {
    read: () => stored.text === undefined ? undefined : JSON.parse(stored.text),
    write: (value) => void (stored.text = JSON.stringify(value)),
    subscribe: (listener) => void listeners.push(listener),
  };
  const deliver = () => listeners.forEach((listener) => listener());
  return { stored, deliver, first: openSettings(preferences), second: openSettings(preferences) };
}

Deno.test("a tab keeps the settings that another tab changed", () => {
  const { first, second, stored } = openTabs();
  first.change({ theme: "dark" });
  second.change({ lockMinutes: 2 });
  deepEqual(JSON.parse(stored.text!), { theme: "dark", lockMinutes: 2 });
  equal(second.value.theme, "dark");
});

Deno.test("a tab adds a proof to the proofs that another tab stored", () => {
  const { first, second } = openTabs();
  first.addProof({ provenSeed: "seed", provenNotes: ["a"] });
  second.addProof({ provenSeed: "seed", provenNotes: ["b"] });
  deepEqual(second.value.provenNotes, ["a", "b"]);
});

Deno.test("a backup is not proven in any tab after one tab has changed the passphrase", () => {
  const { first, second, deliver } = openTabs();
  second.addProof({ provenSeed: "seed", provenNotes: [] });
  first.change({ provenSeed: undefined });
  deliver();
  equal(second.value.provenSeed, undefined);
  second.change({ theme: "dark" });
  equal(first.value.provenSeed, undefined);
});

Deno.test("erased settings are the defaults again, and the next change does not bring the earlier ones back", () => {
  const { first, second, stored, deliver } = openTabs();
  first.change({ relayers: ["https://r.example"], provenSeed: "seed", theme: "dark" });
  stored.text = undefined;
  first.reload();
  deliver();
  for (const { value } of [first, second]) {
    deepEqual([value.relayers, value.provenSeed, value.theme], [undefined, undefined, "system"]);
  }
  equal(stored.text, undefined);
  second.change({ lockMinutes: 2 });
  deepEqual(JSON.parse(stored.text!), { theme: "system", lockMinutes: 2 });
});

Deno.test("default settings leave out what the user chose, and keep which backups were read back", () => {
  const { first, second, stored, deliver } = openTabs();
  first.change({ relayers: ["https://r.example"], theme: "dark", lockMinutes: 2 });
  first.addProof({ provenSeed: "seed", provenNotes: ["a"] });
  first.reset();
  const defaults = { theme: "system", lockMinutes: 10, provenSeed: "seed", provenNotes: ["a"] };
  deepEqual(JSON.parse(stored.text!), defaults);
  deliver();
  for (const { value } of [first, second]) deepEqual(JSON.parse(JSON.stringify(value)), defaults);
});
