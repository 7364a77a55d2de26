import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cached } from "../built-once.ts";
import { run, StepFailed, step } from "../openapi/tools.ts";
import { openTofu } from "../terraform/open-tofu.ts";
import { compileGenerated } from "./generators.ts";

/**
 * `npm run test:clients`: clients that were written for NetBox run against `plat serve`: pynetbox, the collection
 * `netbox.netbox` of Ansible, and the provider of Terraform whose binary `PLAT_NETBOX_PROVIDER` names. Without one, the
 * requests of the provider are sent as its source makes them. What the first two need is installed once from PyPI, and
 * kept in `~/.cache/plat`. They need Python 3.11 or later with `venv`; `PYTHON` names another one than `python3`.
 * Clients that openapi-generator makes in Go and Java compile, where Java and Maven are there.
 */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));
const BIN = process.platform === "win32" ? "Scripts" : "bin";

/** The package with the collections of the community, of which one folder is needed. */
const COMMUNITY = "ansible==12.3.0";
const COLLECTION = "ansible_collections/netbox/netbox";
const TAKE_COLLECTION = `
import glob, sys, zipfile
[wheel] = glob.glob(sys.argv[1] + "/*.whl")
archive = zipfile.ZipFile(wheel)
archive.extractall(sys.argv[2], [name for name in archive.namelist() if name.startswith(sys.argv[3] + "/")])
`;

/** Installs pynetbox and Ansible with the collection, and returns their folder. */
async function installClients(): Promise<string> {
  const python = process.env.PYTHON || "python3";
  const requirements = join(HERE, "requirements.txt");
  const version = await run(python, ["--version"]).catch((error: Error) => {
    throw new StepFailed(`There is no Python: ${error.message}. Python 3.11 or later is needed.`);
  });
  const madeOf = [version, COMMUNITY, TAKE_COLLECTION, await readFile(requirements, "utf8")];
  return cached("netbox-clients", madeOf.join("\n"), COLLECTION, async (temporary) => {
    await mkdir(temporary, { recursive: true });
    await run(python, ["-m", "venv", temporary]);
    const inVenv = (...args: readonly string[]) => run(join(temporary, BIN, "python"), args);
    await inVenv("-m", "pip", "install", "--quiet", "-r", requirements);
    const wheels = join(temporary, "wheels");
    await inVenv("-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, COMMUNITY);
    await inVenv("-c", TAKE_COLLECTION, wheels, temporary, COLLECTION);
    await rm(wheels, { recursive: true });
  });
}

/** Starts `plat serve`, and returns its URL and what stops it. */
async function startServer() {
  const args = ["--import", "tsx", "src/cli/main.ts", "serve", "--memory", "--port", "0"];
  const server = spawn("node", args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const stop = async () => {
    if (server.exitCode !== null) return;
    server.kill();
    await once(server, "exit");
  };
  for await (const line of createInterface(server.stdout)) {
    const [, url] = /listens on (http:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    server.stdout.resume();
    return { url, stop };
  }
  throw new StepFailed("plat serve ended before it listened");
}

/** Plays the book with the collection, and returns how many of its tasks held. */
async function playBook(clients: string, url: string, folder: string): Promise<string> {
  const python = join(clients, BIN, "python");
  const variables = { url, ansible_python_interpreter: python };
  // Its script names the place where it was installed first, so Python runs it.
  const printed = await run(
    python,
    [
      ...[join(clients, BIN, "ansible-playbook"), "-i", "localhost,", "-c", "local"],
      ...["-e", JSON.stringify(variables), join(HERE, "netbox.yml")],
    ],
    {
      env: {
        ...{ ANSIBLE_HOME: folder, ANSIBLE_NOCOLOR: "true", ANSIBLE_COLLECTIONS_PATH: clients },
      },
    },
  );
  return /ok=\d+ +changed=\d+/.exec(printed)?.[0] ?? "";
}

/** Applies the configuration with the named provider: twice, the second time without a change, and destroys it. */
async function applyWith(provider: string, url: string, folder: string): Promise<string> {
  const terraform = await openTofu();
  const rc = join(folder, "tofu.rc");
  const overrides = `"e-breuninger/netbox" = "${dirname(provider)}"`;
  await writeFile(
    rc,
    `provider_installation {\n  dev_overrides {\n    ${overrides}\n  }\n  direct {}\n}\n`,
  );
  await writeFile(
    join(folder, "main.tf"),
    await readFile(join(HERE, "netbox-provider.tf"), "utf8"),
  );
  const env = { TF_CLI_CONFIG_FILE: rc, NETBOX_SERVER_URL: url, NETBOX_API_TOKEN: "none" };
  const tofu = (...args: readonly string[]) =>
    run(terraform, [...args, "-no-color", "-input=false"], { cwd: folder, env });
  await tofu("apply", "-auto-approve");
  // A plan with a change ends with 2.
  await tofu("plan", "-detailed-exitcode");
  await tofu("apply", "-auto-approve", "-var", "description=changed");
  await tofu("plan", "-detailed-exitcode", "-var", "description=changed");
  await tofu("destroy", "-auto-approve");
  const left = await fetch(`${url}/v1/addresses`);
  const { addresses } = (await left.json()) as { readonly addresses: readonly object[] };
  if (addresses.length > 0) throw new StepFailed(`${addresses.length} addresses are left`);
  return `${basename(provider)} found no drift`;
}

/** Sends the requests of the provider as its source makes them. */
async function replay(): Promise<string> {
  const file = "test/functions/netbox-clients.test.ts";
  await run("npx", ["vitest", "run", file], { cwd: ROOT });
  return file;
}

const folder = await mkdtemp(join(tmpdir(), "plat-clients-"));
try {
  const clients = await step("pynetbox and Ansible", installClients);
  const server = await step("plat serve", startServer);
  try {
    const { url } = server;
    await step("pynetbox assigned", async () =>
      (await run(join(clients, BIN, "python"), [join(HERE, "netbox.py"), url])).trim(),
    );
    await step("netbox.netbox of Ansible", () => playBook(clients, url, folder));
    const provider = process.env.PLAT_NETBOX_PROVIDER;
    await (provider
      ? step("the provider of Terraform", () => applyWith(provider, url, folder))
      : step("the requests of the provider of Terraform", replay));
  } finally {
    await server.stop();
  }
  await step("clients of openapi-generator", () => compileGenerated(folder));
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
