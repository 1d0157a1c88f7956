/** Reads the fenced code blocks of the documentation. */
import { listRepositoryFiles } from "./repository_files.ts";

export interface CodeBlock {
  /** Path from the repository's root. */
  readonly page: string;
  /** The text after the fence: the language, and the mark that names the test of the block. */
  readonly info: string;
  /** The block's text, without the indentation of its fence. */
  readonly text: string;
}

const root = new URL("../../../", import.meta.url);

/** Returns all fenced blocks of these pages, in order. Throws if a fence is not closed. */
export async function readCodeBlocks(pages: readonly string[]): Promise<CodeBlock[]> {
  const texts = await Promise.all(pages.map((page) => Deno.readTextFile(new URL(page, root))));
  return pages.flatMap((page, i) => parseCodeBlocks(page, texts[i]));
}

/** Returns the blocks of a page's text. Fences have three or more backticks or tildes and may be indented. */
export function parseCodeBlocks(page: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
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

/** Returns the first line of a block, by which tables refer to it. */
export function firstLineOf({ text }: CodeBlock): string {
  return text.split("\n", 1)[0];
}

/** Returns the only block of a page that begins with `begins`. Throws if there is none, or more than one. */
export async function findCodeBlock(page: string, begins: string): Promise<CodeBlock> {
  const found = (await readCodeBlocks([page])).filter((block) => block.text.startsWith(begins));
  if (found.length !== 1) throw new Error(`${page}: ${found.length} blocks begin with "${begins}"`);
  return found[0];
}

/** Returns the paths of all Markdown files in the repository. */
export async function documentationPages(): Promise<string[]> {
  return await listRepositoryFiles(".md");
}
