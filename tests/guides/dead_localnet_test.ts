/**
 * The guides' first blocks start a local network and wait for it. If it fails, they must stop with its
 * error.
 */
import assert from "node:assert/strict";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { readCodeBlocks } from "../support/docs/code_blocks.ts";
import { sourceCommand } from "../../testkit/programs/program.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const PAGES = ["README.md", "docs/using.md", "docs/operating.md", "docs/integrating.md"];

/** Holds the port of the guides' network, unless another process holds it. */
function holdPort(): Disposable {
  try {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 8081 });
    return { [Symbol.dispose]: () => listener.close() };
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    return { [Symbol.dispose]: () => {} };
  }
}

for (const page of PAGES) {
  Deno.test(`${page}: the first block stops with the error when the port is in use`, () =>
    withTempDirectory(async (dir) => {
      using _port = holdPort();
      const [block] = (await readCodeBlocks([page])).filter(({ info }) => info === "sh play");
      await Deno.mkdir(`${dir}/bin`);
      const program = sourceCommand().map((word) => `'${word}'`).join(" ");
      await Deno.writeTextFile(`${dir}/bin/tonado`, `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
      // The integrator's guide installs packages while it waits, which this test does not need.
      await Deno.writeTextFile(`${dir}/bin/npm`, "#!/bin/sh\n", { mode: 0o755 });
      const { code, stderr } = await childCommand("timeout", {
        args: ["240", "bash", "-e", "-u", "-o", "pipefail", "-c", block.text],
        cwd: dir,
        env: { PATH: `${dir}/bin:${Deno.env.get("PATH")}` },
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stderr);
      assert.ok(code !== 0 && code !== 124, `ended with ${code}: ${text}`);
      assert.match(text, /8081/);
    }));
}
