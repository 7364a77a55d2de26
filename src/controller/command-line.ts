import { parseArgs } from "node:util";
import { CILIUM_DELAY_SECONDS_MAX, FAMILY_TEXTS } from "../nouns/cilium/contract/request.ts";
import { CILIUM_MODES } from "../nouns/cilium/object.ts";
import { COLLECT_MODES } from "./lost-pods.ts";
import {
  AGENT_FOLDERS,
  AGENT_PORT,
  consistent,
  IMAGE_DEFAULT,
  type ManifestOptions,
  NAMESPACE_DEFAULT,
  OptionError,
  PORT,
} from "./manifest.ts";
import type { NodeMode } from "./nodes.ts";

/** The folder in which Kubernetes puts the files of a pod's account. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

export const HELP = `Usage:
  plat-controller run --config FILE [options]
  plat-controller manifest --endpoint URL [options]
  plat-controller components --directory DIR [options]
  plat-controller chart --directory DIR
  plat-controller agent --config FILE --node NAME --agent CONFLIST [options]

run: gives the Nodes of the cluster that it runs in their podCIDRs
  --config FILE            the configuration, as in the ConfigMap of the manifest
  --service-account DIR    the folder with token, ca.crt and namespace
                           (default ${SERVICE_ACCOUNT})
  --listen [HOST]:PORT     where it serves /healthz, /readyz and /metrics (default :${PORT})

manifest: prints what \`kubectl apply -f -\` takes
  --endpoint URL           the URL of Plat
  --space NAME             the address space of the cluster
  --region NAME            the Region, for requests that IAM authorizes
  --token-secret NAME      the Secret with a token in its key \`token\`
  --observe                writes nothing into the cluster, and asks for no prefix
  --lifecycle              writes the taints that follow from the conditions and the silence of a Node
  --leases                 tells Plat which nodes renew their Leases, so that silence shows sooner
  --cilium MODE            answers CiliumNodes: ${CILIUM_MODES.join(", ")}
  --cilium-families LIST   the families that CiliumNodes need: ${FAMILY_TEXTS.join(" or ")}
  --cilium-release-after SECONDS
                           releases an excess of their addresses after this time (default: never)
  --cilium-withdraw-after SECONDS
                           releases a withdrawn address that is unused for this time (default: 60)
  --cluster-api            answers IPAddressClaims of Cluster API
  --end-pods               tells Plat which pods are over, so that it releases what they had
  --agent CONFLIST         runs an agent on each node, for plat-cni in this list of plugins
  --collect-pods MODE      finds addresses whose pod is gone: ${COLLECT_MODES.join(", ")}
  --calico                 keeps pools and reservations as Calico's manifests say
  --spiderpool             keeps pools and reservations as Spiderpool's manifests say
  --namespaces             registers namespaces, with their labels and default pools
  --applications           registers controllers of pods as applications, with their addresses
  --delete-pools           deletes an empty pool whose manifest is gone
  --no-nodes               leaves the Nodes alone
  --namespace NAME         the namespace of the controller (default ${NAMESPACE_DEFAULT})
  --image NAME             the image (default ${IMAGE_DEFAULT})

components: writes the files that \`clusterctl init --ipam plat\` reads, with the options of the manifest
  --directory DIR          the local repository of clusterctl
  --image NAME             the image, with its registry
  --endpoint URL           the URL of Plat (default: the variable PLAT_ENDPOINT of clusterctl)
  --space NAME             the address space (default: its variable PLAT_SPACE)

chart: writes a Helm chart, whose values are the options of the manifest
  --directory DIR          the folder in which the folder of the chart is made

agent: asks Plat for the addresses of the pods of one node, as plat-cni there wants it
  --config, --service-account and --listen as for run (default :${AGENT_PORT})
  --node NAME              the name of the node
  --agent CONFLIST         the list of plugins to install
  --plugin FILE            the plugin to install (default: the one beside this program)
  --plugins DIR            the folder of plugins (default ${AGENT_FOLDERS.plugins})
  --conflists DIR          the folder of lists of plugins (default ${AGENT_FOLDERS.conflists})
  --folder DIR             the folder of the socket (default ${AGENT_FOLDERS.folder})
`;

const OPTIONS = {
  config: { type: "string" },
  "service-account": { type: "string", default: SERVICE_ACCOUNT },
  listen: { type: "string" },
  endpoint: { type: "string" },
  directory: { type: "string" },
  space: { type: "string" },
  region: { type: "string" },
  "token-secret": { type: "string" },
  observe: { type: "boolean", default: false },
  lifecycle: { type: "boolean", default: false },
  leases: { type: "boolean", default: false },
  cilium: { type: "string" },
  "cilium-families": { type: "string" },
  "cilium-release-after": { type: "string" },
  "cilium-withdraw-after": { type: "string" },
  "cluster-api": { type: "boolean", default: false },
  "end-pods": { type: "boolean", default: false },
  agent: { type: "string" },
  node: { type: "string" },
  plugin: { type: "string" },
  plugins: { type: "string", default: AGENT_FOLDERS.plugins },
  conflists: { type: "string", default: AGENT_FOLDERS.conflists },
  folder: { type: "string", default: AGENT_FOLDERS.folder },
  "collect-pods": { type: "string" },
  calico: { type: "boolean", default: false },
  spiderpool: { type: "boolean", default: false },
  namespaces: { type: "boolean", default: false },
  applications: { type: "boolean", default: false },
  "delete-pools": { type: "boolean", default: false },
  "no-nodes": { type: "boolean", default: false },
  namespace: { type: "string", default: NAMESPACE_DEFAULT },
  image: { type: "string", default: IMAGE_DEFAULT },
  help: { type: "boolean", default: false },
} as const;

type Option = keyof typeof OPTIONS;

export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

const OF_PODS = ["service-account", "listen"] as const;
const OF_MANIFEST = [
  ...(["space", "region", "token-secret", "observe", "lifecycle", "leases", "cilium"] as const),
  ...(["cilium-families", "cilium-release-after", "cilium-withdraw-after"] as const),
  ...(["cluster-api", "end-pods", "agent", "collect-pods", "calico", "spiderpool"] as const),
  ...(["namespaces", "applications", "delete-pools", "no-nodes", "namespace", "image"] as const),
] as const;

/** The options of each command. */
const COMMANDS = {
  run: { required: ["config"], others: OF_PODS },
  manifest: { required: ["endpoint"], others: OF_MANIFEST },
  components: { required: ["directory"], others: ["endpoint", ...OF_MANIFEST] },
  chart: { required: ["directory"], others: [] },
  agent: {
    required: ["config", "node", "agent"],
    others: [...OF_PODS, "plugin", "plugins", "conflists", "folder"],
  },
} as const satisfies Record<
  string,
  { readonly required: readonly Option[]; readonly others: readonly Option[] }
>;

type Commands = typeof COMMANDS;

/** A command with the values of its options, of which the required ones are there. */
type CommandLine =
  | {
      [C in keyof Commands]: {
        readonly command: C;
        readonly values: Values & Record<Commands[C]["required"][number], string>;
      };
    }[keyof Commands]
  | { readonly command: "help" };

/** Reads the words behind the name of the program. @throws {OptionError} if a command does not take them, or lacks one */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals, tokens } = parsed(args);
  if (values.help) return { command: "help" };
  const [command = "", ...more] = positionals;
  if (!isCommand(command) || more.length > 0) throw new OptionError(HELP);
  const { required, others }: { required: readonly string[]; others: readonly string[] } =
    COMMANDS[command];
  const known = [...required, ...others];
  for (const token of tokens)
    if (token.kind === "option" && !known.includes(token.name))
      throw new OptionError(
        `--${token.name} is not an option of ${command}, which has ${listed(known)}.`,
      );
  const missing = required.filter((name) => values[name as Option] === undefined);
  if (missing.length > 0) throw new OptionError(`${command} needs ${listed(missing)}.`);
  return { command, values } as CommandLine;
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS, tokens: true });
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

const isCommand = (word: string): word is keyof Commands => Object.hasOwn(COMMANDS, word);

const listed = (names: readonly string[]) => names.map((name) => `--${name}`).join(", ");

/**
 * Returns the choices for the manifest that options say.
 *
 * @param agent the list of plugins for an agent, which is in the file that an option names
 * @throws {OptionError} if an option says nothing that it can, or options exclude each other
 */
export function choicesIn(
  values: Values,
  { endpoint, agent }: Pick<ManifestOptions, "endpoint" | "agent">,
): ManifestOptions {
  const { space = "", region = "", namespace, image, observe, lifecycle, leases } = values;
  return consistent({
    ...{ endpoint, space, region, namespace, image, lifecycle, leases, agent },
    tokenSecret: values["token-secret"] ?? "",
    nodes: nodeModeOf(observe, values["no-nodes"]),
    cilium: oneOf(CILIUM_MODES, values, "cilium") ?? "off",
    ciliumFamilies: oneOf(FAMILY_TEXTS, values, "cilium-families") ?? "",
    ciliumReleaseAfterSeconds: secondsOf(values, "cilium-release-after") ?? "",
    ciliumWithdrawAfterSeconds: secondsOf(values, "cilium-withdraw-after") ?? "",
    clusterApi: values["cluster-api"],
    endPods: values["end-pods"],
    collectPods: oneOf(COLLECT_MODES, values, "collect-pods") ?? "off",
    calico: values.calico,
    spiderpool: values.spiderpool,
    namespaces: values.namespaces,
    applications: values.applications,
    deletePools: values["delete-pools"],
  });
}

/** Returns the way with Nodes that options say. @throws {OptionError} if they exclude each other */
function nodeModeOf(observe: boolean, isOff: boolean): NodeMode | "off" {
  if (observe && isOff)
    throw new OptionError("--no-nodes excludes --observe, which is about Nodes.");
  if (isOff) return "off";
  return observe ? "observe" : "write";
}

/** Returns which of some words an option says; nothing without the option. @throws {OptionError} if it is none of them */
function oneOf<Word extends string>(
  words: readonly Word[],
  values: Values,
  option: "cilium" | "cilium-families" | "collect-pods",
): Word | undefined {
  const said = values[option];
  const word = words.find((each) => each === said);
  if (said === undefined || word !== undefined) return word;
  throw new OptionError(`--${option} is ${said}; it must be ${words.join(" or ")}.`);
}

/** Returns the seconds that an option says; nothing without the option. @throws {OptionError} if it says something else */
function secondsOf(
  values: Values,
  option: "cilium-release-after" | "cilium-withdraw-after",
): number | undefined {
  const said = values[option];
  if (said === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(said) ? Number(said) : Number.NaN;
  if (seconds <= CILIUM_DELAY_SECONDS_MAX) return seconds;
  throw new OptionError(
    `--${option} is ${said}; it must be a whole number of seconds from 0 to ${CILIUM_DELAY_SECONDS_MAX}.`,
  );
}
