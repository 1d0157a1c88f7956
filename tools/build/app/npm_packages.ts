/**
 * Lays out the locked npm packages of a module graph in a folder that esbuild resolves imports in. Deno keeps packages
 * in its cache, where no bundler looks; the versions and bytes are those of `deno.lock`.
 */
import { dirname, join } from "node:path";
import { commandOutput } from "../../shared/command.ts";

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
}

interface GraphReport {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<Record<string, NpmPackage>>;
}

/**
 * Copies the packages that `entries` reach into `folder`, each with links to its own dependencies.
 *
 * @returns the folder for esbuild's `nodePaths`
 */
export async function layOutPackages(entries: readonly string[], root: URL, folder: string): Promise<string> {
  const graphs = await Promise.all(entries.map((entry) => readGraph(entry, root)));
  const packages = Object.assign({}, ...graphs.map(({ npmPackages }) => npmPackages));
  const direct = new Set(
    graphs.flatMap(({ modules }) => modules.flatMap(({ npmPackage }) => npmPackage ?? [])),
  );
  const cache = JSON.parse(await commandOutput(Deno.execPath(), ["info", "--json"])).npmCache as string;
  const registries = await registryFolders(cache);
  const reached = new Set<string>();
  const copy = async (id: string): Promise<void> => {
    if (reached.has(id)) return;
    reached.add(id);
    const { name, version, dependencies } = packages[id] as NpmPackage;
    const home = join(folder, ".store", storeName(id), "node_modules");
    await copyFolder(await findPackage(registries, name, version), join(home, name));
    for (const dependency of dependencies) {
      const other = packages[dependency] as NpmPackage;
      if (other.name !== name) await link(folder, dependency, other.name, join(home, other.name));
      await copy(dependency);
    }
  };
  for (const id of direct) {
    await copy(id);
    await link(folder, id, packages[id].name, join(folder, "node_modules", packages[id].name));
  }
  return join(folder, "node_modules");
}

/** Returns the folders of Deno's cache in which packages lie: one for each registry that its settings have named. */
async function registryFolders(folder: string): Promise<string[]> {
  const found: string[] = [];
  let holdsPackages = false;
  for (const name of await folderNames(folder)) {
    const inner = join(folder, name);
    // Deno keeps the list of a package's versions in its folder. A folder `@scope` holds more packages.
    if (name.startsWith("@") || await isPresent(join(inner, "registry.json"))) holdsPackages = true;
    else found.push(...await registryFolders(inner));
  }
  return holdsPackages ? [folder, ...found] : found;
}

async function findPackage(registries: readonly string[], name: string, version: string): Promise<string> {
  for (const registry of registries) {
    if (await isPresent(join(registry, name, version))) return join(registry, name, version);
  }
  throw new Error(`${name}@${version} is not in Deno's cache of packages. Run \`deno install\`.`);
}

async function folderNames(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.flatMap(({ name, isDirectory }) => isDirectory ? [name] : []);
}

function isPresent(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}

async function readGraph(entry: string, root: URL): Promise<GraphReport> {
  return JSON.parse(await commandOutput(Deno.execPath(), ["info", "--json", entry], { cwd: root }));
}

async function link(folder: string, id: string, name: string, at: string): Promise<void> {
  await Deno.mkdir(dirname(at), { recursive: true });
  await Deno.symlink(join(folder, ".store", storeName(id), "node_modules", name), at).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else if (isFile) await Deno.copyFile(join(from, name), join(to, name));
  }
}

const storeName = (id: string) => id.replaceAll("/", "+");
