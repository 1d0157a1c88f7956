/**
 * Generates what the documentation repeats of the code: the table of problems in docs/integrating.md and the table of
 * settings in docs/operating.md.
 *
 * Usage: deno task docs [--check]     (`--check` fails when a committed table differs)
 */
import { settings } from "../src/config/settings.ts";
import { problems } from "../src/core/errors.ts";
import { httpProblemCodes } from "../src/http/problem_response.ts";
import { writeGenerated } from "./generated_files.ts";

const problemRows = httpProblemCodes.map((code) => {
  const { status, title, todo } = problems[code];
  return `| ${status} | \`${code}\` | ${title} | ${todo} |`;
});
const settingRows = Object.values(settings).map((setting) => {
  const { name, help } = setting;
  const standard = "default" in setting ? `\`${setting.default}\`` : "";
  return `| \`${name}\` | ${help}${"secret" in setting ? " (secret)" : ""} | ${standard} |`;
});

await writeGenerated("docs", [
  await page("docs/integrating.md", "problems", [
    "| Status | Code | What it means | What to do |",
    "| --- | --- | --- | --- |",
    ...problemRows,
  ]),
  await page("docs/operating.md", "settings", [
    "| Variable | What it is | Default |",
    "| --- | --- | --- |",
    ...settingRows,
  ]),
], Deno.args.includes("--check"));

/** The page with the table between its two marks replaced. */
async function page(path: string, mark: string, table: readonly string[]) {
  const text = await Deno.readTextFile(path);
  const [open, close] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [before, rest] = text.split(open);
  const after = rest?.split(close)[1];
  if (after === undefined) throw new Error(`${path} has no ${open} ... ${close}`);
  return { path, content: await formatted(`${before}${open}\n\n${table.join("\n")}\n\n${close}${after}`) };
}

/** As `deno fmt` leaves it, which aligns tables. */
async function formatted(markdown: string): Promise<string> {
  const fmt = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "md", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = fmt.stdin.getWriter();
  await writer.write(new TextEncoder().encode(markdown));
  await writer.close();
  return await new Response(fmt.stdout).text();
}
