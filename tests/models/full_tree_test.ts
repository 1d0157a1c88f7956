import assert from "node:assert/strict";
import { childCommand } from "../../testkit/programs/child_command.ts";

Deno.test("a tree of 2^20 leaves takes under 150 MB and refuses one more, unchanged", async () => {
  const { stdout, success } = await childCommand(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("../fixtures/full_tree.ts", import.meta.url).href],
    stderr: "inherit",
  }).output();
  assert.ok(success);
  const { treeBytes, ...behaviour } = JSON.parse(new TextDecoder().decode(stdout));
  assert.ok(treeBytes < 150e6, `${treeBytes} bytes`);
  assert.deepEqual(behaviour, {
    overfull: "tree_full",
    sizeAfterOverfull: 1000,
    size: 2 ** 20,
    lastIndex: 2 ** 20 - 1,
    lastPathHolds: true,
    append: "tree_full",
    appendNothing: "none",
    zeroPath: "tree_full",
    rootAfter: "tree_full",
  });
});
