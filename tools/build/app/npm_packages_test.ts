/** A mirror of the package registry, as the settings of npm and Deno name it: its packages are found in Deno's cache. */
import { deepEqual, equal, match } from "node:assert/strict";
import { createRequire } from "node:module";
import { childCommand } from "../../../testkit/programs/child_command.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";

const layOut = new URL("./npm_packages.ts", import.meta.url).href;

/** Serves packages of version 1.0.0, each of which exports its name and those of the packages after it. */
async function startMirror(folder: string, path: string, names: readonly string[]) {
  const tarballs = new Map<string, Uint8Array<ArrayBuffer>>();
  const manifests = names.map((name, i) => {
    const next = names[i + 1];
    return { name, version: "1.0.0", main: "main.js", dependencies: next ? { [next]: "1.0.0" } : {} };
  });
  for (const [i, manifest] of manifests.entries()) {
    const source = `${folder}/source-${i}/package`;
    await Deno.mkdir(source, { recursive: true });
    await Deno.writeTextFile(`${source}/package.json`, JSON.stringify(manifest));
    const [rest] = Object.keys(manifest.dependencies).map((next) => `...require("${next}")`);
    await Deno.writeTextFile(`${source}/main.js`, `module.exports = ["${manifest.name}", ${rest ?? ""}];`);
    const file = `${folder}/${i}.tgz`;
    const tar = await childCommand("tar", { args: ["-czf", file, "-C", `${folder}/source-${i}`, "package"] })
      .output();
    equal(tar.code, 0);
    tarballs.set(`${path}tarballs/${i}.tgz`, await Deno.readFile(file));
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, origin } = new URL(request.url);
    const tarball = tarballs.get(pathname);
    if (tarball) return new Response(tarball);
    const at = names.indexOf(decodeURIComponent(pathname.slice(path.length)));
    if (at < 0) return new Response("", { status: 404 });
    const name = `${path}tarballs/${at}.tgz`;
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-512", tarballs.get(name)!));
    const dist = { tarball: origin + name, integrity: `sha512-${btoa(String.fromCharCode(...hash))}` };
    return Response.json({
      name: names[at],
      "dist-tags": { latest: "1.0.0" },
      versions: { "1.0.0": { ...manifests[at], dist } },
    });
  });
  return Object.assign(server, { url: `http://127.0.0.1:${server.addr.port}${path}` });
}

/** Lays out the packages of a module that imports `name`, with settings and a cache of their own. */
async function layOutOf(name: string, folder: string, env: Record<string, string>) {
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    JSON.stringify({ imports: { [name]: `npm:${name}@1.0.0` } }),
  );
  await Deno.writeTextFile(`${folder}/main.ts`, `import "${name}";`);
  await Deno.writeTextFile(
    `${folder}/lay_out.ts`,
    `import { layOutPackages } from "${layOut}";
     const root = new URL("./", import.meta.url);
     await layOutPackages(["main.ts"], root, root.pathname + "out");`,
  );
  const run = (...args: string[]) =>
    childCommand(Deno.execPath(), {
      args,
      cwd: folder,
      env: { ...env, DENO_DIR: `${folder}/cache`, HOME: folder },
    }).output();
  const installed = await run("install", "--quiet", "--entrypoint", "main.ts");
  equal(installed.code, 0, new TextDecoder().decode(installed.stderr));
  return { run, laidOut: await run("run", "-A", "--no-check", "lay_out.ts") };
}

for (const path of ["/", "/api/npm/all/"]) {
  Deno.test(`packages of a mirror at ${path} are laid out with their dependencies`, () =>
    withTempDirectory(async (folder) => {
      const names = ["outer", "@scope/middle", "inner"];
      await using mirror = await startMirror(folder, path, names);
      const { laidOut } = await layOutOf("outer", folder, { NPM_CONFIG_REGISTRY: mirror.url });
      equal(laidOut.code, 0, new TextDecoder().decode(laidOut.stderr));
      deepEqual(createRequire(`${folder}/out/`)("outer"), names);
    }));
}

Deno.test("a package that is not in Deno's cache is named with the command that fetches it", () =>
  withTempDirectory(async (folder) => {
    const mirror = await startMirror(folder, "/", ["alone"]);
    const { run } = await layOutOf("alone", folder, { NPM_CONFIG_REGISTRY: mirror.url });
    await mirror.shutdown();
    await Deno.remove(`${folder}/out`, { recursive: true });
    for await (const { name } of Deno.readDir(`${folder}/cache/npm`)) {
      await Deno.remove(`${folder}/cache/npm/${name}/alone/1.0.0`, { recursive: true });
    }
    const { code, stderr } = await run("run", "-A", "--no-check", "--cached-only", "lay_out.ts");
    equal(code, 1);
    match(new TextDecoder().decode(stderr), /alone@1\.0\.0 is not in Deno's cache .*deno install/);
  }));
