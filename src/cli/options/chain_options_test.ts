import { equal } from "node:assert/strict";
import { formatFlags } from "./chain_options.ts";

Deno.test("flags of a command line: lists repeat the flag, switches have no value, unset ones are left out", () => {
  const flags = { network: "testnet", relayer: ["a", "b"], wait: true, self: false, notes: undefined };
  equal(formatFlags(flags), "--network testnet --relayer a --relayer b --wait");
  equal(formatFlags({ notes: "my notes" }), "--notes 'my notes'");
});
