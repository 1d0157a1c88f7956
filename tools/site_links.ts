/** Holds the links of a static site against its own files: pages are read as text, nothing is run, no other host is asked. */

/** Hosts, protocols and data of others: whatever begins with a scheme, or with two slashes. */
const ELSEWHERE = /^([a-z][a-z0-9+.-]*:|\/\/)/i;
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&quot;": '"', "&#39;": "'" };

/** A link that leads nowhere: the page below the site's folder, and the link as the page has it. */
export interface DeadLink {
  readonly page: string;
  readonly link: string;
}

/**
 * Every `href` and `src` of every HTML page that leads to no file of the site, or to a part of a page that it has not.
 *
 * @param folder the site's root, which links that begin with a slash start from; a `file:` URL that ends with a slash
 */
export async function deadLinks(folder: URL): Promise<DeadLink[]> {
  const files = new Set(await filesBelow(folder));
  const pages = new Map<string, string>();
  for (const path of [...files].filter((path) => path.endsWith(".html")).sort()) {
    pages.set(
      path,
      await Deno.readTextFile(new URL(path.split("/").map(encodeURIComponent).join("/"), folder)),
    );
  }
  const dead: DeadLink[] = [];
  for (const [page, html] of pages) {
    for (const link of new Set(linksOf(html))) {
      if (!leads(link, page, files, pages)) dead.push({ page, link });
    }
  }
  return dead;
}

/** Values of `href` and `src` within tags; code that a page shows has its brackets escaped. */
function* linksOf(html: string): Generator<string> {
  for (const [tag] of html.matchAll(/<[a-z][^>]*>/gi)) {
    for (const [, link] of tag.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      yield link.replace(/&(amp|quot|#39);/g, (entity) => ENTITIES[entity]);
    }
  }
}

function leads(
  link: string,
  page: string,
  files: ReadonlySet<string>,
  pages: ReadonlyMap<string, string>,
): boolean {
  if (ELSEWHERE.test(link)) return true;
  const { pathname, hash } = new URL(link, `http://site/${page}`);
  const path = decodeURIComponent(pathname.slice(1)).replace(/(^|\/)$/, "$1index.html");
  if (!files.has(path)) return false;
  const part = decodeURIComponent(hash.slice(1));
  const target = pages.get(path);
  return part === "" || target === undefined || target.includes(` id="${part}"`);
}

/** Paths of all files, from `folder` on. */
async function filesBelow(folder: URL, above = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      found.push(...await filesBelow(new URL(`${encodeURIComponent(name)}/`, folder), `${above}${name}/`));
    } else found.push(above + name);
  }
  return found;
}
