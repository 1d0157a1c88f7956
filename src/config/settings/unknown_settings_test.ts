import { deepEqual } from "node:assert/strict";
import type { Setting } from "./setting.ts";
import { serveSettings } from "./serve_settings.ts";
import { findUnknownSettings } from "./unknown_settings.ts";

Deno.test("an unknown RELAYER_* variable produces a warning that suggests the closest setting", () => {
  const env = {
    RELAYER_HOURLY_CAPS: "5",
    RELAYER_BALANCE_STPO: "5",
    RELAYER_SOMETHING_ELSE: "x",
    INDEXER_KEY: "a secret",
    RELAYR_FOO: "1",
    RELAYR_HOURLY_CAP: "5",
    RELAY_HOST: "x", // belongs to another program
    TONADO_BURN_OWNERS: "1",
    DATABSE_URL: "postgres://x/y", // may belong to another program
    DATABASE_URI: "postgres://x/y",
  };
  deepEqual(findUnknownSettings(env), [
    "DATABASE_URI is not a setting and has no effect: did you mean DATABASE_URL?",
    "INDEXER_KEY is not a setting and has no effect",
    "RELAYER_BALANCE_STPO is not a setting and has no effect: did you mean RELAYER_BALANCE_STOP?",
    "RELAYER_HOURLY_CAPS is not a setting and has no effect: did you mean RELAYER_HOURLY_CAP?",
    "RELAYER_SOMETHING_ELSE is not a setting and has no effect",
    "RELAYR_FOO is not a setting and has no effect",
    "RELAYR_HOURLY_CAP is not a setting and has no effect: did you mean RELAYER_HOURLY_CAP?",
    "TONADO_BURN_OWNERS is not a setting and has no effect: did you mean TONADO_BURN_OWNER?",
  ]);
});

Deno.test("settings, aliases, test variables and variables of other programs produce no warning", () => {
  const own = Object.values<Setting<unknown>>(serveSettings).flatMap((
    { name, alias = name },
  ) => [name, alias]);
  const others = [
    "PATH",
    "TONADO_SEED",
    "TONADO_REQUIRE_ALL",
    "DATABASE_NAME",
    "REDIS_PASSWORD",
    "TONADO_NOTES",
  ];
  deepEqual(findUnknownSettings(Object.fromEntries([...own, ...others].map((name) => [name, "1"]))), []);
});
