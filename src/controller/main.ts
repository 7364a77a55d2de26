#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CILIUM_MODES, type CiliumMode } from "../nouns/cilium/object.ts";
import { readConfig } from "./config.ts";
import { podIdentity } from "./kube/api.ts";
import type { Waits } from "./kube/waits.ts";
import {
  CLUSTERCTL_VARIABLES,
  IMAGE_DEFAULT,
  type ManifestOptions,
  manifest,
  NAMESPACE_DEFAULT,
  providerFiles,
} from "./manifest.ts";
import type { NodeMode } from "./nodes.ts";
import { runController } from "./run.ts";

const HELP = `Usage:
  plat-controller run --config FILE [options]
  plat-controller manifest --endpoint URL [options]
  plat-controller components --directory DIR [options]

run: gives the Nodes of the cluster that it runs in their podCIDRs
  --config FILE            the configuration, as in the ConfigMap of the manifest
  --service-account DIR    the folder with token, ca.crt and namespace
                           (default ${"/var/run/secrets/kubernetes.io/serviceaccount"})
  --listen [HOST]:PORT     where it serves /healthz, /readyz and /metrics (default :9964)

manifest: prints what \`kubectl apply -f -\` takes
  --endpoint URL           the URL of Plat
  --space NAME             the address space of the cluster
  --region NAME            the Region, for requests that IAM authorizes
  --token-secret NAME      the Secret with a token in its key \`token\`
  --observe                writes nothing into the cluster, and asks for no prefix
  --cilium MODE            answers CiliumNodes: ${CILIUM_MODES.join(", ")}
  --cluster-api            answers IPAddressClaims of Cluster API
  --end-pods               tells Plat which pods are over, so that it releases what they had
  --no-nodes               leaves the Nodes alone
  --namespace NAME         the namespace of the controller (default ${NAMESPACE_DEFAULT})
  --image NAME             the image (default ${IMAGE_DEFAULT})

components: writes the files that \`clusterctl init --ipam plat\` reads, with the options of the manifest
  --directory DIR          the local repository of clusterctl
  --image NAME             the image, with its registry
  --endpoint URL           the URL of Plat (default: the variable PLAT_ENDPOINT of clusterctl)
  --space NAME             the address space (default: its variable PLAT_SPACE)
`;

const WAITS: Waits = {
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
  random: Math.random,
};

/** The modes of Cilium in which a Node needs no podCIDR: its pods have their addresses from the CiliumNode alone. */
const ADDRESSES_ELSEWHERE: ReadonlySet<CiliumMode | undefined> = new Set(["crd", "multi-pool"]);

/** Returns the mode that an option names. @throws {Error} if it is none, or the controller may not write */
function ciliumModeOf(named: string | undefined, observes: boolean): CiliumMode | undefined {
  const mode = CILIUM_MODES.find((each) => each === named);
  if (named !== undefined && !mode)
    throw new Error(`--cilium is ${named}; it must be one of ${CILIUM_MODES.join(", ")}.`);
  if (mode && observes)
    throw new Error(
      "--observe writes nothing into the cluster, so --cilium cannot stand beside it.",
    );
  return mode;
}

/** Returns the way with Nodes that options say. @throws {Error} if nothing is left to do, or they contradict each other */
function nodeModeOf({
  observe,
  isOff,
  cilium,
  clusterApi,
  endPods,
}: {
  readonly observe: boolean;
  readonly isOff: boolean;
  readonly cilium: CiliumMode | undefined;
  readonly clusterApi: boolean;
  readonly endPods: boolean;
}): NodeMode | "off" {
  if (!isOff) return observe || ADDRESSES_ELSEWHERE.has(cilium) ? "observe" : "write";
  if (observe || cilium)
    throw new Error("--no-nodes excludes --observe and --cilium, which are about Nodes.");
  if (!clusterApi && !endPods)
    throw new Error("--no-nodes leaves nothing to do without --cluster-api or --end-pods.");
  return "off";
}

const log = (message: string, about: Readonly<Record<string, unknown>> = {}) =>
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), message, ...about })}\n`,
  );

const OPTIONS = {
  config: { type: "string" },
  "service-account": {
    type: "string",
    default: "/var/run/secrets/kubernetes.io/serviceaccount",
  },
  listen: { type: "string", default: ":9964" },
  endpoint: { type: "string" },
  directory: { type: "string" },
  space: { type: "string" },
  region: { type: "string" },
  "token-secret": { type: "string" },
  observe: { type: "boolean", default: false },
  cilium: { type: "string" },
  "cluster-api": { type: "boolean", default: false },
  "end-pods": { type: "boolean", default: false },
  "no-nodes": { type: "boolean", default: false },
  namespace: { type: "string", default: NAMESPACE_DEFAULT },
  image: { type: "string", default: IMAGE_DEFAULT },
  help: { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

/** Returns the choices for the manifest that options say. @throws {Error} if they contradict each other */
function manifestOptions(values: Values, endpoint: string): ManifestOptions {
  const { space, region, namespace, image, observe } = values;
  const cilium = ciliumModeOf(values.cilium, observe);
  const clusterApi = values["cluster-api"];
  const endPods = values["end-pods"];
  const mode = nodeModeOf({ observe, isOff: values["no-nodes"], cilium, clusterApi, endPods });
  const tokenSecret = values["token-secret"];
  return {
    ...{ endpoint, space, region, tokenSecret, namespace, image },
    ...{ mode, cilium, clusterApi, endPods },
  };
}

/** Carries out the command. @throws {Error} with a message for its user */
async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  const [command, ...others] = positionals;
  if (values.help) return void process.stdout.write(HELP);
  if (command === "manifest" && others.length === 0 && values.endpoint !== undefined) {
    process.stdout.write(manifest(manifestOptions(values, values.endpoint)));
    return;
  }
  if (command === "components" && others.length === 0 && values.directory !== undefined) {
    const { endpoint = CLUSTERCTL_VARIABLES.endpoint, space = CLUSTERCTL_VARIABLES.space } = values;
    const said = { ...values, space, "cluster-api": true, "no-nodes": true };
    const files = providerFiles(manifestOptions(said, endpoint));
    for (const [path, content] of Object.entries(files)) {
      const file = resolve(values.directory, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      process.stdout.write(`${file}\n`);
    }
    return;
  }
  if (command !== "run" || others.length > 0 || values.config === undefined) throw new Error(HELP);
  const listen = /^(.*):(\d{1,5})$/.exec(values.listen);
  if (!listen)
    throw new Error(
      `--listen is ${values.listen}; it must be HOST:PORT, or :PORT for every address.`,
    );
  const [, host = "", port] = listen;
  const config = await readConfig(values.config);
  const pod = await podIdentity(process.env, values["service-account"]);
  const ending = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => ending.abort());
  const identity = `${hostname()}_${randomBytes(4).toString("hex")}`;
  const world = { pod, identity, listen: { host, port: Number(port) }, waits: WAITS, log };
  await runController(config, world, ending.signal);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
