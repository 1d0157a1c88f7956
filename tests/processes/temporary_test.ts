/** A temporary folder that cannot be created is reported like a file that cannot be written. */
import assert from "node:assert/strict";
import { output } from "../compiled/binary.ts";
import { sourceCommand } from "../../testkit/programs/program.ts";

Deno.test("tonado localnet with a missing TMPDIR: error code and next step", async () => {
  const { code, stdout, stderr } = await output(
    [...sourceCommand(), "localnet", "--port", "0", "--relayer-port", "0"],
    { TMPDIR: "/nope" },
  );
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assert.match(
    stderr,
    /^error: a temporary folder \(TMPDIR says where\) cannot be written: .* \[write_failed\]\n.*choose another path/,
  );
});
