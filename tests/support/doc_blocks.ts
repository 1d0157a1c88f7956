/** The fenced blocks of the documentation: who reads them, and by which mark. */
import { checkoutFiles } from "./checkout_files.ts";

/** A block as it stands on a page. */
export interface Block {
  /** Path from the repository's root. */
  readonly page: string;
  /** What stands after the fence: the language, and the mark of who runs it. */
  readonly info: string;
  /** Its text, without the indent of its fence. */
  readonly text: string;
}

const root = new URL("../../", import.meta.url);

/** Every fenced block of these pages, in order. @throws Error for a fence that nothing closes */
export async function blocksOf(pages: readonly string[]): Promise<Block[]> {
  const texts = await Promise.all(pages.map((page) => Deno.readTextFile(new URL(page, root))));
  return pages.flatMap((page, i) => parseBlocks(page, texts[i]));
}

/** The blocks of a page's text. Fences are of backticks or tildes, three or more, and may be indented. */
export function parseBlocks(page: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { indent: number; fence: string; info: string; lines: string[] } | undefined;
  for (const line of markdown.split("\n")) {
    const [, indent, fence, info] = line.match(/^([ >]*)(`{3,}|~{3,})(.*)$/) ?? [];
    if (open === undefined) {
      if (fence) open = { indent: indent.length, fence, info: info.trim(), lines: [] };
    } else if (fence?.startsWith(open.fence) && info.trim() === "") {
      blocks.push({ page, info: open.info, text: open.lines.map((each) => `${each}\n`).join("") });
      open = undefined;
    } else open.lines.push(line.slice(open.indent));
  }
  if (open) throw new Error(`${page}: nothing closes ${open.fence}${open.info}`);
  return blocks;
}

/** The first line of a block, by which tables name it. */
export function firstLine({ text }: Block): string {
  return text.split("\n", 1)[0];
}

/** The one block of a page that begins so. @throws Error when there is none, or more */
export async function blockThatBegins(page: string, begins: string): Promise<Block> {
  const found = (await blocksOf([page])).filter((block) => block.text.startsWith(begins));
  if (found.length !== 1) throw new Error(`${page}: ${found.length} blocks begin with "${begins}"`);
  return found[0];
}

/** Every page of documentation in the repository. */
export async function documentationPages(): Promise<string[]> {
  return await checkoutFiles(".md");
}
