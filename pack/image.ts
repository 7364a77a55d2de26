import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import manifest from "../package.json" with { type: "json" };

/**
 * `npm run build:image`: makes `dist/image` from the package in `dist`, an image of the server, the command and the
 * controller. It is an OCI layout (https://github.com/opencontainers/image-spec/blob/main/image-layout.md), and needs no
 * Docker. It has the Node.js that runs this script, with the libraries that it loads, so it is for the processor of this
 * machine. The same files give the same image.
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const IMAGE = join(ROOT, "dist", "image");
/** A user without a name elsewhere, as images without a distribution have it. */
const USER_ID = 65_532;
const PORT = 8_787;
const PROGRAMS = ["plat", "plat-controller"];
const run = promisify(execFile);

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const architecture = ARCHITECTURES[process.arch];
if (process.platform !== "linux" || architecture === undefined) {
  console.error(
    "An image has files of the machine that builds it, which must be Linux on x64 or arm64.",
  );
  process.exit(2);
}

await rm(IMAGE, { recursive: true, force: true });
await mkdir(join(IMAGE, "blobs", "sha256"), { recursive: true });
const layers = [
  { ...(await layerOf(putNode)), created_by: "Node.js and the libraries that it loads" },
  { ...(await layerOf(putPlat)), created_by: `Plat ${manifest.version}` },
];
const config = await blob(
  json({
    architecture,
    os: "linux",
    config: {
      User: `${USER_ID}:${USER_ID}`,
      Env: ["PATH=/usr/local/bin", "HOME=/tmp"],
      Entrypoint: ["plat"],
      Cmd: ["serve", "--data", "/data", "--listen", "0.0.0.0"],
      ExposedPorts: { [`${PORT}/tcp`]: {} },
      Volumes: { "/data": {} },
      Labels: {
        "org.opencontainers.image.title": manifest.name,
        "org.opencontainers.image.version": manifest.version,
        "org.opencontainers.image.licenses": manifest.license,
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ created_by }) => ({ created_by })),
  }),
);
const image = await blob(
  json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: { mediaType: "application/vnd.oci.image.config.v1+json", ...config },
    layers: layers.map(({ digest, size }) => ({
      mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
      digest,
      size,
    })),
  }),
);
await writeFile(
  join(IMAGE, "index.json"),
  json({
    schemaVersion: 2,
    manifests: [
      {
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        ...image,
        platform: { architecture, os: "linux" },
        annotations: { "org.opencontainers.image.ref.name": manifest.version },
      },
    ],
  }),
);
await writeFile(join(IMAGE, "oci-layout"), json({ imageLayoutVersion: "1.0.0" }));
const bytes = layers.reduce((sum, { size }) => sum + size, 0);
console.log(
  `dist/image has plat ${manifest.version} for linux/${architecture}, ${Math.round(bytes / 1e6)} MB.`,
);

/** Puts the Node.js of this process into a folder, with the libraries that it loads and the files that a process looks for. */
async function putNode(folder: string): Promise<void> {
  const node = process.execPath;
  const { stdout } = await run("ldd", [node]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
  for (const [from, to] of [
    [node, "/usr/local/bin/node"] as const,
    ...libraries.map((path) => [path, path] as const),
  ]) {
    await mkdir(join(folder, dirname(to)), { recursive: true });
    await cp(await realpath(from), join(folder, to));
  }
  await mkdir(join(folder, "etc"));
  await writeFile(
    join(folder, "etc", "passwd"),
    `plat:x:${USER_ID}:${USER_ID}::/tmp:/sbin/nologin\n`,
  );
  await writeFile(join(folder, "etc", "group"), `plat:x:${USER_ID}:\n`);
  // Whatever user the container has may write there.
  for (const open of ["data", "tmp"]) {
    await mkdir(join(folder, open));
    await chmod(join(folder, open), 0o1777);
  }
}

/** Puts what the package has for the server, the command and the controller into a folder, with the library of the file. */
async function putPlat(folder: string): Promise<void> {
  const app = join(folder, "app");
  const programs = PROGRAMS.map((name) => `${name}.js`);
  for (const name of [...programs, "publishing-thread.js", "guard.mjs", "console"])
    await cp(join(ROOT, "dist", name), join(app, "dist", name), { recursive: true });
  // The names by which a Deployment starts them. No shell looks for the program that a file names.
  await mkdir(join(folder, "usr", "local", "bin"), { recursive: true });
  for (const name of PROGRAMS)
    await writeFile(
      join(folder, "usr", "local", "bin", name),
      `#!/usr/local/bin/node\nimport("/app/dist/${name}.js");\n`,
      { mode: 0o755 },
    );
  // It has no plugin if nobody has Go. Then it can be everything but the agent of a node.
  const plugin = `plat-cni-linux-${architecture}`;
  if (existsSync(join(ROOT, "dist", "plugin", plugin)))
    await cp(join(ROOT, "dist", "plugin", plugin), join(app, "dist", "plugin", plugin));
  for (const name of ["LICENSE", "THIRD_PARTY_LICENSES", "package.json"])
    await cp(join(ROOT, "dist", "package", name), join(app, name));
  for (const name of await closureOf("lmdb"))
    await cp(join(ROOT, "node_modules", name), join(app, "node_modules", name), {
      recursive: true,
    });
}

/** Returns a package with all that it depends on and that is installed here. */
async function closureOf(name: string, found = new Set<string>()): Promise<ReadonlySet<string>> {
  if (found.has(name)) return found;
  const file = join(ROOT, "node_modules", name, "package.json");
  const text = await readFile(file, "utf8").catch(() => undefined);
  // An optional one for another processor.
  if (text === undefined) return found;
  found.add(name);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(text);
  for (const other of Object.keys({ ...dependencies, ...optionalDependencies }))
    await closureOf(other, found);
  return found;
}

/** Makes a layer of a folder that is put together: its blob, and the digest of its archive. */
async function layerOf(put: (folder: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), "plat-layer-"));
  try {
    await put(folder);
    await chmod(folder, 0o755);
    const archive = join(folder, "..", `${folder.split("/").at(-1)}.tar`);
    const plain = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
    await run("tar", [...plain, "--format=ustar", "-C", folder, "-cf", archive, "."]);
    const bytes = await readFile(archive);
    await rm(archive);
    return { diffId: digestOf(bytes), ...(await blob(gzipSync(bytes, { level: 9 }))) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes a blob. Returns its digest and its size, as a descriptor has them. */
async function blob(content: Uint8Array | string) {
  const digest = digestOf(content);
  await writeFile(join(IMAGE, "blobs", ...digest.split(":")), content);
  return { digest, size: Buffer.byteLength(content) };
}

function digestOf(content: Uint8Array | string): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function json(value: object): string {
  return JSON.stringify(value);
}
