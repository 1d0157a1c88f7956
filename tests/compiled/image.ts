/**
 * Builds the Dockerfile's image without a container engine: each instruction is executed in a folder. The bases are
 * copied from this system, which must be the Debian of the bases; the last one consists of the files of distroless'
 * packages. An unknown instruction or base fails.
 */
import { buildContext, dockerfile, type Instruction } from "./deployment_files.ts";
import { output } from "./binary.ts";

/** A file system, and how to run its program. */
export interface Image {
  readonly root: string;
  readonly env: Record<string, string>;
  readonly volumes: string[];
  readonly ports: string[];
  /** `uid:gid` */
  user: string;
  directory: string;
  entrypoint: string[];
  command: string[];
  healthCheck: string[];
}

interface Build {
  readonly context: string;
  readonly folder: string;
  readonly stages: Map<string, Image>;
  image: Image;
}

/**
 * Debian 12's packages in base/config.bzl and cc/config.bzl of https://github.com/GoogleContainerTools/distroless.
 */
const PACKAGES = [
  "base-files",
  "netbase",
  "libc6",
  "libssl3",
  "gcc-12-base",
  "libgcc-s1",
  "libgomp1",
  "libstdc++6",
];
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

const bases: Readonly<Record<string, (image: Image) => Promise<void>>> = {
  "debian:12.14-slim": layDebian,
  "gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f":
    layDistroless,
};

const instructions: Readonly<Record<string, (build: Build, step: Instruction) => void | Promise<void>>> = {
  async FROM(build, { words: [base, , name] }) {
    const root = `${build.folder}/${build.stages.size}`;
    build.image = {
      root,
      env: {},
      volumes: [],
      ports: [],
      user: "0:0",
      directory: "/",
      entrypoint: [],
      command: [],
      healthCheck: [],
    };
    build.stages.set(name ?? "", build.image);
    await Deno.mkdir(root, { recursive: true });
    await bases[base](build.image);
  },
  async WORKDIR({ image }, { text }) {
    image.directory = text;
    await Deno.mkdir(image.root + text, { recursive: true });
  },
  async COPY({ image, stages, context }, { words, flags }) {
    const [sources, to] = [words.slice(0, -1), words.at(-1)!];
    const from = flags.from === undefined ? context : stages.get(flags.from)!.root;
    const letIn = await buildContext();
    const target = to.startsWith("/") ? image.root + to : `${image.root}${image.directory}/${to}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    for (const source of sources) {
      if (flags.from === undefined && !letIn.includes(source)) throw new Error(`${source} is not let in`);
      await must(["cp", "--recursive", "--preserve=mode", `${from}/${source}`, target]);
    }
    if (flags.chown) await must(["chown", "--recursive", flags.chown, target]);
  },
  RUN: ({ image: { root, directory } }, { text }) =>
    must([
      ...["bwrap", "--bind", root, "/", "--ro-bind", "/usr", "/usr", "--dev", "/dev", "--chdir", directory],
      ...["--unshare-net", "--", "/bin/sh", "-c", text],
    ]),
  ENV({ image }, { words }) {
    for (const word of words) image.env[word.slice(0, word.indexOf("="))] = word.slice(word.indexOf("=") + 1);
  },
  VOLUME: ({ image }, { words }) => void image.volumes.push(...words),
  EXPOSE: ({ image }, { words }) => void image.ports.push(...words),
  USER: ({ image }, { text }) => void (image.user = text),
  HEALTHCHECK: ({ image }, { text }) => void (image.healthCheck = JSON.parse(text.replace(/^.*?CMD /s, ""))),
  ENTRYPOINT: ({ image }, { text }) => void (image.entrypoint = JSON.parse(text)),
  CMD: ({ image }, { text }) => void (image.command = JSON.parse(text)),
};

/**
 * Returns whether this machine can build and run an image: as root, on the Debian of the bases, with their
 * packages installed, and with user namespaces.
 */
export async function canRunImage(): Promise<boolean> {
  const tries = [
    ["dpkg-query", "--show", ...PACKAGES],
    ["setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "bwrap", "--ro-bind", "/", "/", "true"],
  ];
  try {
    const release = await Deno.readTextFile("/etc/os-release");
    if (Deno.uid() !== 0 || !/^ID=debian$/m.test(release) || !/^VERSION_ID="12"$/m.test(release)) {
      return false;
    }
    for (const command of tries) if ((await output(command)).code !== 0) return false;
    return true;
  } catch {
    return false;
  }
}

/**
 * Builds the Dockerfile's image.
 *
 * @param context the build context
 * @param folder where to create file systems
 */
export async function buildImage(context: string, folder: string): Promise<Image> {
  const build: Build = { context, folder, stages: new Map(), image: undefined! };
  for (const step of await dockerfile()) await instructions[step.keyword](build, step);
  return build.image;
}

/** Makes only this system's programs available while a command runs. */
async function layDebian({ root }: Image): Promise<void> {
  for (const name of ["usr", "dev"]) await Deno.mkdir(`${root}/${name}`);
  for (const name of ["bin", "lib", "lib64"]) await Deno.symlink(`usr/${name}`, `${root}/${name}`);
}

async function layDistroless(image: Image): Promise<void> {
  const { root, env } = image;
  const { stdout } = await output(["dpkg-query", "--listfiles", ...PACKAGES]);
  const list = `${root}.files`;
  await Deno.writeTextFile(list, stdout);
  await Deno.mkdir(`${root}/usr/lib64`, { recursive: true }); // the loader's path, which no package lists
  await must(["sh", "-c", `tar -c --no-recursion -T '${list}' | tar -x -C '${root}'`]);
  await must(["cp", "--parents", CERTIFICATES, root]);
  await Deno.writeTextFile(`${root}/etc/passwd`, "root:x:0:0:root:/root:/sbin/nologin\n" + NOBODIES);
  await Deno.writeTextFile(`${root}/etc/nsswitch.conf`, "hosts: files dns\n");
  await Deno.mkdir(`${root}/home/nonroot`, { recursive: true, mode: 0o700 });
  await Deno.chown(`${root}/home/nonroot`, 65532, 65532);
  Object.assign(env, {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    SSL_CERT_FILE: CERTIFICATES,
  });
  Object.assign(image, { user: "65532:65532", directory: "/home/nonroot" });
}

const NOBODIES = "nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n" +
  "nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n";

async function must(command: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await output(command);
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${stdout}${stderr}`);
}
