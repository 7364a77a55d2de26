import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { type KubeApi, kubeApi } from "../../src/controller/kube/api.ts";
import type { NodeObject } from "../../src/controller/nodes.ts";
import type { LocalPlat } from "../../src/local/plat.ts";
import { go } from "../built-once.ts";
import { unhurriedPlat } from "../local/unhurried-plat.ts";
import { bundledProgram } from "../programs.ts";
import { type ControlPlane, startControlPlane } from "./servers.ts";

const NAMESPACE = "plat-system";
/** The pool of each space. */
const POOL = "10.64.0.0/16";
/** The plugin of nodes with an agent, and a list of plugins with it. */
const PLUGIN = fileURLToPath(new URL("../../cni", import.meta.url));
export const CONFLIST = `${JSON.stringify({
  cniVersion: "1.0.0",
  name: "podnet",
  plugins: [{ type: "bridge", ipam: { type: "plat-cni", keep: true } }],
})}\n`;
/** A test fails if something that it waits for has not come by then. */
const WAIT_MS_MAX = 300_000;

/** A replica of the controller, as the container of the manifest runs it. It is started again if it ends by itself. */
export interface Replica {
  /** The URL of its probes. */
  readonly url: string;
  /** What it logged so far. */
  readonly lines: readonly string[];
  readonly process: ChildProcess;
  /** Ends it with a signal, and returns its exit code. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

export interface ReplicaOptions {
  /** Changes the text of its configuration. */
  readonly change?: (config: string) => string;
  /** The namespace whose Lease it takes, in place of that of the manifest. */
  readonly namespace?: string;
  /** The port at which it reaches the API server, in place of the server's own. */
  readonly port?: number;
}

/** The agent of a node, and the plugin that it has installed. */
export interface Agent extends Replica {
  /** Runs the plugin as a kubelet does, and returns what it printed. @throws {Error} with its error */
  readonly plugin: (variables: Readonly<Record<string, string>>, ipam?: object) => Promise<object>;
}

/** A cluster with Plat beside it. */
export interface Lab {
  readonly plane: ControlPlane;
  readonly plat: LocalPlat;
  /** Requests with the rights of the controller. */
  readonly account: () => Promise<KubeApi>;
  /**
   * Applies the manifest that the controller prints with these options, for a new address space with a pool of prefixes.
   * Returns it as objects.
   */
  readonly install: (...options: readonly string[]) => Promise<readonly Manifest[]>;
  /** Starts a replica with the configuration of the last installation, changed by a test. */
  readonly start: (options?: ReplicaOptions) => Promise<Replica>;
  /** Starts the agent of a node, of the last installation. */
  readonly startAgent: (node: string) => Promise<Agent>;
  /** The variables of a terminal with `kubectl`, `plat` and `plat-controller`. */
  readonly terminal: NodeJS.ProcessEnv;
  /** The name of the space of the last installation. */
  readonly space: () => string;
  /** Sends a request to Plat about the space of the last installation. */
  readonly call: (method: string, path: string, body?: object) => Promise<object>;
  readonly putNode: (name: string, spec?: object) => Promise<void>;
  readonly deleteNode: (name: string) => Promise<void>;
  /** The podCIDRs of each Node by its name. */
  readonly ranges: () => Promise<Readonly<Record<string, string>>>;
  /** The prefixes that nodes have in the space of the last installation, by the name of the node. */
  readonly held: () => Promise<Readonly<Record<string, string>>>;
  /** Runs a command of `plat` in the space of the last installation. @throws {Error} with what it printed, if it fails */
  readonly command: (...args: readonly string[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A replica that looks for nodes whose deletion nobody saw as often as it can. */
export const OFTEN: ReplicaOptions = {
  change: (config) => config.replace("nodes:", "nodes:\n  completeSeconds: 10"),
};

/** An object of the manifest. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: string[] }[];
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Returns the folder with the source of a project, which has its CRDs as it publishes them.
 *
 * @param pinnedBy the folder here with the module that pins the version
 * @param module the path of the project's module
 */
export async function sourceOf(pinnedBy: string, module: string): Promise<string> {
  const folder = fileURLToPath(new URL(pinnedBy, import.meta.url));
  return JSON.parse(await go(folder, ["mod", "download", "-json", module])).Dir;
}

/** Applies CRDs, and waits until the API server has their kinds. Their schemas are too long for the annotation of kubectl. */
export async function applyCrds(plane: ControlPlane, crds: readonly string[]): Promise<void> {
  const text = crds.join("---\n");
  await plane.kubectl(["apply", "--server-side", "-f", "-"], text);
  const established = ["wait", "--for=condition=Established", "--timeout=120s", "-f", "-"];
  await plane.kubectl(established, text);
}

/**
 * Starts a control plane with the CRDs of Cilium, and Plat; and builds the controller.
 *
 * @param beside a lab whose Plat and whose space this one shares
 */
export async function startLab(beside?: Lab): Promise<Lab> {
  const plane = await startControlPlane();
  const cilium = await sourceOf("cilium", "github.com/cilium/cilium");
  const crd = join(cilium, "pkg/k8s/apis/cilium.io/client/crds/v2/ciliumnodes.yaml");
  await applyCrds(plane, [await readFile(crd, "utf8")]);
  const plat = beside?.plat ?? (await unhurriedPlat({ repairSeconds: 1 }));
  const folder = await mkdtemp(join(tmpdir(), "plat-lab-"));
  const program = await bundledProgram("src/controller/main.ts");
  const programs = await programsIn(folder, {
    plat: `exec ${process.execPath} ${await bundledProgram("src/cli/main.ts")} "$@"`,
    "plat-controller": `exec ${process.execPath} ${program} "$@"`,
    kubectl: `exec ${plane.kubectlProgram} "$@"`,
  });
  const replicas: Replica[] = [];
  let config = "";
  let spaces = 0;
  const space = () => beside?.space() ?? `cluster-${spaces}`;
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${plat.url}/v1/spaces/${space()}${path}`, {
      method,
      ...(body && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const answered = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answered)}`);
    return answered;
  };
  const createToken = (account = "plat-controller") =>
    plane.kubectl(["create", "token", account, "-n", NAMESPACE]);
  /** Writes what a pod of an account gets into a folder, and returns it. */
  const folderOfPod = async (account: string, namespace: string, configuration: string) => {
    const own = await mkdtemp(join(folder, "replica-"));
    await writeFile(join(own, "token"), await createToken(account));
    await writeFile(join(own, "ca.crt"), plane.ca);
    await writeFile(join(own, "namespace"), namespace);
    await writeFile(join(own, "config.yaml"), configuration);
    return own;
  };
  const nodes = async () => {
    const { items } = await plane.admin.send<{ items: readonly NodeObject[] }>({
      path: "/api/v1/nodes",
    });
    return items;
  };
  const terminal: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${programs}:${process.env.PATH}`,
    KUBECONFIG: plane.kubeconfig,
    PLAT_ENDPOINT: plat.url,
  };
  return {
    plane,
    plat,
    space,
    call,
    terminal,
    async account() {
      const token = await createToken();
      return kubeApi({ url: plane.url, ca: plane.ca, token: async () => token });
    },
    async install(...options) {
      if (!beside) {
        spaces++;
        await call("PUT", "/pools/pods", { cidr: POOL, assign: "prefixes", blockSize: 24 });
        // The shortest one, so that the tests need not wait long.
        await call("PUT", "/config", { nodeQuarantineSeconds: 12 });
      }
      const args = [program, "manifest", "--endpoint", plat.url, "--space", space(), ...options];
      const child = spawn(process.execPath, args);
      const { code, text: printed } = await printedBy(child);
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${printed}`);
      await plane.kubectl(["apply", "-f", "-"], printed);
      const objects = parseAllDocuments(printed).map((document) => document.toJS() as Manifest);
      config = objects.find(({ kind }) => kind === "ConfigMap")?.data?.["config.yaml"] ?? "";
      return objects;
    },
    async start(options = {}) {
      const { change = (text: string) => text, namespace = NAMESPACE, port = plane.port } = options;
      const own = await folderOfPod("plat-controller", namespace, change(config));
      const replica = await started(port, [
        ...[program, "run", "--config", join(own, "config.yaml")],
        ...["--service-account", own, "--listen", "127.0.0.1:0"],
      ]);
      replicas.push(replica);
      return replica;
    },
    async startAgent(node) {
      const own = await folderOfPod("plat-agent", NAMESPACE, config);
      const [plugin, conflist] = [join(own, "plugin"), join(own, "10-plat.conflist")];
      await go(PLUGIN, ["build", "-o", plugin, "."], { CGO_ENABLED: "0" });
      await writeFile(conflist, CONFLIST);
      const [run, plugins, conflists] = ["run", "plugins", "conflists"].map((name) =>
        join(own, name),
      ) as [string, string, string];
      for (const made of [run, plugins, conflists]) await mkdir(made);
      const replica = await started(plane.port, [
        ...[program, "agent", "--config", join(own, "config.yaml"), "--node", node],
        ...["--service-account", own, "--listen", "127.0.0.1:0", "--folder", run],
        ...["--agent", conflist, "--conflists", conflists],
        ...["--plugin", plugin, "--plugins", plugins],
      ]);
      replicas.push(replica);
      return {
        ...replica,
        async plugin(variables, ipam = {}) {
          const child = spawn(join(plugins, "plat-cni"), [], { env: { ...variables } });
          const [network] = JSON.parse(CONFLIST).plugins;
          child.stdin.end(
            JSON.stringify({
              ...{ cniVersion: "1.0.0", name: "podnet", ...network },
              ipam: { ...network.ipam, socket: join(run, "agent.sock"), ...ipam },
            }),
          );
          const { code, text } = await printedBy(child);
          if (code !== 0) throw new Error(text);
          return text === "" ? {} : JSON.parse(text);
        },
      };
    },
    async putNode(name, spec = {}) {
      const body = { apiVersion: "v1", kind: "Node", metadata: { name }, spec };
      await plane.admin.send({ method: "POST", path: "/api/v1/nodes", body });
    },
    async deleteNode(name) {
      await plane.kubectl(["delete", "node", name, "--wait=false"]);
    },
    async ranges() {
      const all = await nodes();
      return Object.fromEntries(
        all.map(({ metadata, spec }) => [metadata.name, (spec?.podCIDRs ?? []).join(" ")]),
      );
    },
    async held() {
      const { handles } = (await call("GET", "/handles?limit=1000")) as {
        handles: readonly { handle: string }[];
      };
      const names = new Set(
        handles.flatMap(({ handle }) => /^node\/([^/]+)\//.exec(handle)?.[1] ?? []),
      );
      const held: Record<string, string> = {};
      for (const name of names) {
        const { podCIDRs } = (await call("GET", `/nodes/${name}/pod-cidrs`)) as {
          podCIDRs: readonly { cidr: string }[];
        };
        held[name] = podCIDRs.map(({ cidr }) => cidr).join(" ");
      }
      return held;
    },
    async command(...args) {
      const env = { ...terminal, PLAT_SPACE: space() };
      const child = spawn(join(programs, "plat"), args, { env });
      const { code, text } = await printedBy(child);
      if (code !== 0) throw new Error(`plat ${args.join(" ")} ended with ${code}: ${text}`);
    },
    async stop() {
      for (const replica of replicas) await replica.end("SIGKILL");
      if (!beside) await plat.stop();
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes scripts into a folder of their own, and returns it. */
async function programsIn(
  folder: string,
  scripts: Readonly<Record<string, string>>,
): Promise<string> {
  const programs = join(folder, "bin");
  await mkdir(programs);
  for (const [name, script] of Object.entries(scripts))
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return programs;
}

/** Waits until a look is what a test wants, and returns it. @throws {Error} with the last look */
export async function until<T>(
  look: () => Promise<T>,
  isIt: (seen: T) => boolean,
  waitMsMax = WAIT_MS_MAX,
): Promise<T> {
  const untilMs = performance.now() + waitMsMax;
  for (;;) {
    const seen = await look();
    if (isIt(seen)) return seen;
    if (performance.now() > untilMs) throw new Error(`waited in vain: ${JSON.stringify(seen)}`);
    await sleep(100);
  }
}

/**
 * Waits until every Node has one range, which Plat holds for it and for no other one, and Plat holds nothing else.
 *
 * @param replaced nodes for which Plat may also hold what an earlier object of their name had
 */
export const served = (lab: Lab, count: number, replaced: ReadonlySet<string> = new Set()) =>
  until(
    async () => ({ ranges: await lab.ranges(), held: await lab.held() }),
    ({ ranges, held }) =>
      Object.keys(ranges).length === count &&
      Object.keys(held).length === count &&
      new Set(Object.values(ranges)).size === count &&
      Object.entries(ranges).every(
        ([name, range]) =>
          range !== "" &&
          (held[name] === range ||
            (replaced.has(name) && held[name]?.split(" ").includes(range) === true)),
      ),
  );

/** Returns what a page of a replica says, with its status; nothing while the replica starts again. */
export async function probe({ url }: Replica, path: string): Promise<string> {
  try {
    const answer = await fetch(`${url}${path}`);
    return `${answer.status} ${await answer.text()}`;
  } catch {
    return "";
  }
}

/**
 * Takes each verb of the printed roles away, one after the other, and starts a replica without it.
 *
 * @param objects the manifest of the last installation
 * @param start starts a replica
 * @returns the verbs whose absence `/readyz` did not show, and `none` if a replica with all of them was not ready
 */
export async function unseenVerbs(
  lab: Lab,
  objects: readonly Manifest[],
  start: () => Promise<Replica> = () => lab.start(),
): Promise<readonly string[]> {
  const apply = (object: Manifest) =>
    lab.plane.kubectl(["apply", "-f", "-"], JSON.stringify(object));
  // A replica that cannot renew its Lease ends, so each verb has one of its own.
  const shows = async (words: string) => {
    const replica = await start();
    try {
      const page = await until(
        () => probe(replica, "/readyz"),
        (seen) => seen.includes(words) || seen.startsWith("200"),
      );
      return page.includes(words);
    } finally {
      await replica.end();
    }
  };
  const unseen: string[] = [];
  for (const role of objects.filter(({ kind }) => /^(Cluster)?Role$/.test(kind)))
    for (const [at, rule] of (role.rules ?? []).entries())
      for (const verb of rule.verbs) {
        await apply(without(role, at, verb));
        const right = `${verb} ${rule.resources[0]}`;
        if (!(await shows(`the right is missing: ${right}`))) unseen.push(right);
        await apply(role);
      }
  if (!(await shows("200 ok"))) unseen.push("none");
  return unseen;
}

/** Returns a role without a verb of one of its rules. */
const without = (role: Manifest, at: number, verb: string): Manifest => ({
  ...role,
  rules: (role.rules ?? [])
    .map((rule, index) =>
      index === at ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) } : rule,
    )
    .filter(({ verbs }) => verbs.length > 0),
});

/** Returns what a program printed, with its exit code. */
export async function printedBy(
  child: ChildProcessWithoutNullStreams,
): Promise<{ readonly code: number; readonly text: string }> {
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => printed.push(chunk));
  const [code] = await once(child, "close");
  return { code, text: Buffer.concat(printed).toString("utf8") };
}

/** Starts a replica, and starts it again whenever it ends by itself, as a kubelet does. */
async function started(port: number, args: readonly string[]): Promise<Replica> {
  const lines: string[] = [];
  let url = "";
  let isWanted = true;
  const begin = (): ChildProcess => {
    const begun = spawn(process.execPath, args, {
      env: {
        ...process.env,
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: String(port),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [begun.stdout, begun.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (line.includes('"port"')) url = `http://127.0.0.1:${JSON.parse(line).port}`;
      });
    begun.once("exit", () => {
      if (isWanted && url !== "") child = begin();
    });
    return begun;
  };
  let child = begin();
  await until(
    async () => url,
    (seen) => seen !== "" || child.exitCode !== null,
  );
  if (url === "") throw new Error(`the controller did not start: ${lines.join("\n")}`);
  return {
    get url() {
      return url;
    },
    lines,
    get process() {
      return child;
    },
    async end(signal = "SIGTERM") {
      isWanted = false;
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill(signal);
        await ended;
      }
      return child.exitCode;
    },
  };
}
