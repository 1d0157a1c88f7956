/** Checks the internal links of a static site without a browser or network. */

/** External links begin with a scheme or with two slashes. */
const EXTERNAL_LINK = /^([a-z][a-z0-9+.-]*:|\/\/)/i;
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&quot;": '"', "&#39;": "'" };

/** A dead link: the page, relative to the site's folder, and the link as written. */
interface DeadLink {
  readonly page: string;
  readonly link: string;
}

/**
 * Returns every `href` and `src` of HTML pages that leads to a missing file of the site or to a missing anchor.
 *
 * @param folder the site's root as a `file:` URL that ends with a slash
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
      if (!isAlive(link, page, files, pages)) dead.push({ page, link });
    }
  }
  return dead;
}

/** Yields the values of `href` and `src` in tags. Brackets in code that a page shows are escaped. */
function* linksOf(html: string): Generator<string> {
  for (const [tag] of html.matchAll(/<[a-z][^>]*>/gi)) {
    for (const [, link] of tag.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      yield link.replace(/&(amp|quot|#39);/g, (entity) => ENTITIES[entity]);
    }
  }
}

function isAlive(
  link: string,
  page: string,
  files: ReadonlySet<string>,
  pages: ReadonlyMap<string, string>,
): boolean {
  if (EXTERNAL_LINK.test(link)) return true;
  const { pathname, hash } = new URL(link, `http://site/${page}`);
  const path = decodeURIComponent(pathname.slice(1)).replace(/(^|\/)$/, "$1index.html");
  if (!files.has(path)) return false;
  const part = decodeURIComponent(hash.slice(1));
  const target = pages.get(path);
  return part === "" || target === undefined || target.includes(` id="${part}"`);
}

/** Returns the paths of all files below `folder`. */
async function filesBelow(folder: URL, above = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      found.push(...await filesBelow(new URL(`${encodeURIComponent(name)}/`, folder), `${above}${name}/`));
    } else found.push(above + name);
  }
  return found;
}
