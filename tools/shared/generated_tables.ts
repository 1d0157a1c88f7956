/** Fills generated tables between marks into hand-written pages. */
import { childCommand } from "../../testkit/programs/child_command.ts";

/** Returns the page with each table between its two marks replaced. */
export async function fillTables(path: string, tables: Readonly<Record<string, readonly string[]>>) {
  let text = await Deno.readTextFile(path);
  for (const [mark, table] of Object.entries(tables)) {
    const [open, close] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
    const [before, rest] = text.split(open);
    const after = rest?.split(close)[1];
    if (after === undefined) throw new Error(`${path} has no ${open} ... ${close}`);
    text = `${before}${open}\n\n${table.join("\n")}\n\n${close}${after}`;
  }
  return { path, content: await formatted(text) };
}

/** Formats as `deno fmt` does, which aligns tables. */
async function formatted(markdown: string): Promise<string> {
  const fmt = childCommand(Deno.execPath(), {
    args: ["fmt", "--ext", "md", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = fmt.stdin.getWriter();
  await writer.write(new TextEncoder().encode(markdown));
  await writer.close();
  return await new Response(fmt.stdout).text();
}
