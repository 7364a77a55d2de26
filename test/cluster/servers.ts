import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type KubeApi, kubeApi } from "../../src/controller/kube/api.ts";
import { goProgram } from "../built-once.ts";

const FLAGS = ["-trimpath", "-ldflags=-s -w"];
const module = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const READY_MS_MAX = 120_000;

/** The programs of a control plane: those that are named, or those that the modules in this folder pin. */
async function controlPlanePrograms() {
  const { PLAT_APISERVER, PLAT_ETCD, PLAT_KUBECTL } = process.env;
  const version = await kubernetesVersion();
  // Clients such as clusterctl ask the API server for its version, and the linker sets it.
  const told = `-X k8s.io/component-base/version.gitVersion=${version}`;
  const kubernetes = (name: string) =>
    goProgram({
      name,
      program: name,
      module: module("kubernetes"),
      package: `k8s.io/kubernetes/cmd/${name}`,
      flags: ["-trimpath", `-ldflags=-s -w ${told}`],
    });
  return {
    etcd:
      PLAT_ETCD ||
      (await goProgram({
        name: "etcd",
        program: "etcd",
        module: module("etcd"),
        package: "go.etcd.io/etcd/server/v3",
        flags: FLAGS,
      })),
    apiserver: PLAT_APISERVER || (await kubernetes("kube-apiserver")),
    kubectl: PLAT_KUBECTL || (await kubernetes("kubectl")),
  };
}

/** Returns the path of Cluster API's own command, which `PLAT_CLUSTERCTL` may name. */
export const clusterctl = async (): Promise<string> =>
  process.env.PLAT_CLUSTERCTL ||
  goProgram({
    name: "clusterctl",
    program: "clusterctl",
    module: module("cluster-api"),
    package: "sigs.k8s.io/cluster-api/cmd/clusterctl",
    flags: FLAGS,
  });

/** Returns the version of Kubernetes that the module here pins, such as `v1.36.3`. */
async function kubernetesVersion(): Promise<string> {
  const pins = await readFile(join(module("kubernetes"), "go.mod"), "utf8");
  return /k8s\.io\/kubernetes (v\S+)/.exec(pins)?.[1] ?? "";
}

/** Returns the path of Helm's command, which `PLAT_HELM` may name. */
export async function helm(): Promise<string> {
  if (process.env.PLAT_HELM) return process.env.PLAT_HELM;
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(await kubernetesVersion()) ?? [];
  // Without a cluster it renders for the version that the linker sets.
  const versions = { k8sVersionMajor: major, k8sVersionMinor: minor };
  const told = Object.entries(versions).map(
    ([name, value]) => `-X helm.sh/helm/v3/pkg/chartutil.${name}=${value}`,
  );
  return goProgram({
    name: "helm",
    program: "helm",
    module: module("helm"),
    package: "helm.sh/helm/v3/cmd/helm",
    flags: ["-trimpath", `-ldflags=-s -w ${told.join(" ")}`],
  });
}

/** A control plane without nodes and controllers: etcd and a kube-apiserver with RBAC. */
export interface ControlPlane {
  readonly url: string;
  readonly port: number;
  /** The certificate that the API server's own is checked with. */
  readonly ca: string;
  /** A file with the rights of the administrator, for kubectl. */
  readonly kubeconfig: string;
  readonly kubectlProgram: string;
  /** Requests with every right. */
  readonly admin: KubeApi;
  /** Runs kubectl with every right, and returns what it printed. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** Ends the API server at once, as a crash does, and starts it again. */
  readonly restart: (meanwhile?: () => Promise<void>) => Promise<void>;
  /** Returns the writes of an account so far that the API server carried out, as its audit log has them. */
  readonly writesOf: (user: string) => Promise<readonly AuditedWrite[]>;
  /** Forgets all versions but the present one, so that watches from earlier ones are answered with 410. */
  readonly compact: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A write in the audit log. */
export interface AuditedWrite {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef: { readonly resource: string; readonly subresource?: string };
  readonly requestObject?: Readonly<Record<string, unknown>>;
  readonly responseStatus?: { readonly code: number };
}

/** The policy of the audit log: writes of service accounts, with what they send. */
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "Request",
      userGroups: ["system:serviceaccounts"],
      verbs: ["create", "update", "patch", "delete", "deletecollection"],
    },
  ],
};

/** Starts a control plane on loopback, with its data in a temporary folder. */
export async function startControlPlane(): Promise<ControlPlane> {
  const programs = await controlPlanePrograms();
  const folder = await mkdtemp(join(tmpdir(), "plat-cluster-"));
  const [client, peer, port] = await Promise.all([freePort(), freePort(), freePort()]);
  const [etcdUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  const token = randomBytes(16).toString("hex");
  await writeCredentials(folder, token);
  await writeFile(join(folder, "audit.json"), JSON.stringify(AUDIT_POLICY));
  const started: ChildProcess[] = [];
  const begin = (program: string, args: readonly string[], log: string) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    const out = createWriteStream(join(folder, log), { flags: "a" });
    child.stdout?.pipe(out, { end: false });
    child.stderr?.pipe(out, { end: false });
    started.push(child);
    return child;
  };
  begin(
    programs.etcd,
    [
      ...["--data-dir", join(folder, "etcd"), "--unsafe-no-fsync"],
      ...["--listen-client-urls", etcdUrl, "--advertise-client-urls", etcdUrl],
      ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
      ...["--initial-cluster", `default=${peerUrl}`],
    ],
    "etcd.log",
  );
  const serve = () =>
    begin(
      programs.apiserver,
      [
        ...["--etcd-servers", etcdUrl, "--bind-address", "127.0.0.1"],
        ...["--secure-port", String(port), "--cert-dir", join(folder, "certs")],
        ...["--service-account-issuer", "https://cluster.example"],
        ...["--service-account-key-file", join(folder, "account.pub")],
        ...["--service-account-signing-key-file", join(folder, "account.key")],
        ...["--authorization-mode", "RBAC", "--token-auth-file", join(folder, "tokens.csv")],
        ...["--service-cluster-ip-range", "198.19.0.0/16"],
        ...["--audit-policy-file", join(folder, "audit.json")],
        ...["--audit-log-path", join(folder, "audit.log"), "--audit-log-mode", "blocking"],
      ],
      "apiserver.log",
    );
  let apiserver = serve();
  const url = `https://127.0.0.1:${port}`;
  const logOf = () => readFile(join(folder, "apiserver.log"), "utf8");
  const ready = async (): Promise<KubeApi> => {
    const untilMs = performance.now() + READY_MS_MAX;
    for (;;) {
      try {
        const ca = await readFile(join(folder, "certs", "apiserver.crt"), "utf8");
        const api = kubeApi({ url, ca, token: async () => token });
        await api.send({ path: "/api/v1/namespaces/kube-system" });
        return api;
      } catch (error) {
        if (performance.now() > untilMs || apiserver.exitCode !== null)
          throw new Error(
            `the API server did not start: ${error}\n${(await logOf()).slice(-2_000)}`,
          );
        await sleep(200);
      }
    }
  };
  const end = async (child: ChildProcess) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const admin = await ready();
  const ca = await readFile(join(folder, "certs", "apiserver.crt"), "utf8");
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigOf(url, ca, token));
  return {
    url,
    port,
    ca,
    admin,
    kubeconfig,
    kubectlProgram: programs.kubectl,
    async kubectl(args, input = "") {
      const child = spawn(programs.kubectl, ["--kubeconfig", kubeconfig, ...args]);
      const printed: Buffer[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => printed.push(chunk));
      child.stdin.end(input);
      const [code] = await once(child, "close");
      const text = Buffer.concat(printed).toString("utf8");
      if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${text}`);
      return text;
    },
    async restart(meanwhile) {
      await end(apiserver);
      await meanwhile?.();
      apiserver = serve();
      await ready();
    },
    async writesOf(username) {
      const lines = (await readFile(join(folder, "audit.log"), "utf8")).split("\n");
      // A server that was killed can leave a line cut off.
      const whole = lines.filter((line) => line.startsWith("{") && line.endsWith("}"));
      return whole
        .map((line) => JSON.parse(line) as AuditedWrite)
        .filter(
          ({ user, responseStatus }) =>
            user.username === username && (responseStatus?.code ?? 500) < 300,
        );
    },
    async compact() {
      const post = async (path: string, body: object) => {
        const answer = await fetch(`${etcdUrl}/v3/kv/${path}`, {
          method: "POST",
          body: JSON.stringify(body),
        });
        return (await answer.json()) as { header?: { revision: string } };
      };
      const { header } = await post("range", { key: Buffer.from("/").toString("base64") });
      await post("compaction", { revision: header?.revision, physical: true });
    },
    async stop() {
      for (const child of started.reverse()) await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const kubeconfigOf = (server: string, ca: string, token: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "lab",
    contexts: [{ name: "lab", context: { cluster: "lab", user: "admin" } }],
    clusters: [
      {
        name: "lab",
        cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") },
      },
    ],
    users: [{ name: "admin", user: { token } }],
  });

/** Writes the key of service accounts, and the token of the administrator. */
async function writeCredentials(folder: string, token: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  await mkdir(join(folder, "certs"));
  await writeFile(join(folder, "account.key"), privateKey);
  await writeFile(join(folder, "account.pub"), publicKey);
  await writeFile(join(folder, "tokens.csv"), `${token},admin,admin,system:masters\n`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
