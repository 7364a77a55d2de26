import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { SPACE_DEFAULT } from "../api/route.ts";
import { RESOURCE_NAME } from "../api/schema/field.ts";
import { BUILD } from "../base/build.ts";
import { NAME_CHARACTERS_MAX } from "../base/limits.ts";
import { same } from "../base/same.ts";
import type { FAMILY_TEXTS } from "../nouns/cilium/contract/request.ts";
import {
  CLUSTER_GROUP,
  POOL_COLLECTIONS,
  POOL_GROUP,
  POOL_VERSION,
  VERSIONS,
} from "./cluster-api.ts";
import { ALWAYS, allOf, anyOf, type Condition, is, isTrue, not } from "./condition.ts";
import {
  AGENT_RIGHTS,
  ANSWERS_CILIUM,
  CALICO,
  CLUSTER_API,
  COLLECTS,
  type ConditionalRight,
  conditionalRights,
  DECLARES,
  END_PODS,
  FOLLOWS_APPLICATIONS,
  FOLLOWS_NAMESPACES,
  LEASE,
  LEASES,
  LIFECYCLE,
  SPIDERPOOL,
  type Switches,
  WRITES_NODES,
  WRITES_RANGES,
} from "./rights.ts";

export const NAMESPACE_DEFAULT = "plat-system";
export const IMAGE_DEFAULT = `plat-controller:${BUILD.version}`;

export const NAME = LEASE;
/** The ports of the probes. Both programs use the network of their host, where Cilium and exporters have ports up to 9999. */
export const PORT = 14_964;
export const AGENT_PORT = 14_965;
const AGENT = "plat-agent";
/** The name of the list of plugins on each node. The one that sorts first counts. */
const CONFLIST = "10-plat.conflist";
/**
 * The folders of a node that its agent uses, as runtimes look for plugins and their lists. What the plugin leaves behind in the
 * first one must outlive a reboot: no runtime sends a DEL again that was done.
 */
export const AGENT_FOLDERS = {
  folder: "/var/lib/plat-agent",
  plugins: "/opt/cni/bin",
  conflists: "/etc/cni/net.d",
} as const;
const RBAC = "rbac.authorization.k8s.io";
const TOKEN_FOLDER = "/var/run/secrets/plat";

/** Options that a command does not take, or that exclude each other. The message is for its user. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** The choices of a user. One that is an empty text is not said. */
export interface ManifestOptions extends Switches {
  readonly endpoint: string;
  readonly space: string;
  readonly region: string;
  /** The Secret with a token in its key `token`. */
  readonly tokenSecret: string;
  /** The families and the times that go with each CiliumNode. */
  readonly ciliumFamilies: (typeof FAMILY_TEXTS)[number] | "";
  readonly ciliumReleaseAfterSeconds: number | "";
  readonly ciliumWithdrawAfterSeconds: number | "";
  /** True if a pool whose manifest is gone is deleted once it is empty. */
  readonly deletePools: boolean;
  readonly image: string;
  readonly namespace: string;
  /** The list of plugins that an agent installs on each node; without it there are no agents. */
  readonly agent: string;
}

/** The names of what a user chooses, but for the namespace. */
export type Choice = Exclude<keyof ManifestOptions, "namespace">;

/** The parts that leave Nodes alone. */
const WITHOUT_NODES = [
  CLUSTER_API,
  END_PODS,
  CALICO,
  SPIDERPOOL,
  FOLLOWS_NAMESPACES,
  FOLLOWS_APPLICATIONS,
  COLLECTS,
];
const DELETE_POOLS = is<Choice>("deletePools", true);
const given = (name: Choice) => not(is<Choice>(name, ""));
const ABOUT_CILIUM = anyOf(
  (["ciliumFamilies", "ciliumReleaseAfterSeconds", "ciliumWithdrawAfterSeconds"] as const).map(
    given,
  ),
);

/** Choices that exclude each other, with the words for a user of options, and for one of a chart. */
export const CONTRADICTIONS: readonly {
  readonly when: Condition<Choice>;
  readonly option: string;
  readonly value: string;
}[] = [
  {
    when: allOf(is("nodes", "observe"), anyOf<Choice>([ANSWERS_CILIUM, LIFECYCLE])),
    option:
      "--observe writes nothing into the cluster, so --cilium and --lifecycle cannot stand beside it.",
    value:
      'nodes is observe, which writes nothing into the cluster; cilium must be "off" and lifecycle false then.',
  },
  {
    when: allOf(is("nodes", "off"), anyOf<Choice>([ANSWERS_CILIUM, LIFECYCLE, LEASES])),
    option: "--no-nodes excludes --cilium, --lifecycle and --leases, which are about Nodes.",
    value: 'nodes is off; cilium must be "off", and lifecycle and leases false then.',
  },
  {
    when: allOf(is("nodes", "off"), not(anyOf<Choice>(WITHOUT_NODES))),
    option:
      "--no-nodes leaves nothing to do without --cluster-api, --end-pods, --calico, --spiderpool, --namespaces, --applications or --collect-pods.",
    value:
      "nodes is off; clusterApi, endPods, calico, spiderpool, namespaces or applications must be true then, or collectPods report or release.",
  },
  {
    when: allOf(DELETE_POOLS, not<Choice>(DECLARES)),
    option: "--delete-pools needs --calico or --spiderpool, whose pools it is about.",
    value: "deletePools is true; calico or spiderpool must be true then.",
  },
  {
    when: allOf(ABOUT_CILIUM, not<Choice>(ANSWERS_CILIUM)),
    option:
      "--cilium-families, --cilium-release-after and --cilium-withdraw-after need --cilium, because they are about its CiliumNodes.",
    value:
      'cilium is "off"; ciliumFamilies, ciliumReleaseAfterSeconds and ciliumWithdrawAfterSeconds must be empty then.',
  },
];

/** True in the modes of Cilium in which a Node needs no podCIDR: its pods have their addresses from the CiliumNode alone. */
export const OBSERVES_INSTEAD = allOf<Choice>(
  is("nodes", "write"),
  anyOf([is("cilium", "crd"), is("cilium", "multi-pool")]),
);

/** Returns choices as a user's options make them. @throws {OptionError} if they exclude each other */
export function consistent(options: ManifestOptions): ManifestOptions {
  const contradiction = CONTRADICTIONS.find(({ when }) => isTrue(when, options));
  if (contradiction) throw new OptionError(contradiction.option);
  return isTrue(OBSERVES_INSTEAD, options) ? { ...options, nodes: "observe" } : options;
}

/** The choices from which the objects are made: those that a user has made, or those that Helm asks for later. */
export interface Choices {
  readonly namespace: string;
  /** Returns the text of a choice, as the whole value of a field. */
  text(name: Choice): string;
  /** Returns the number of a choice, as the whole value of a field. */
  number(name: Choice): unknown;
  /** Returns a SHA-256 digest of texts and then of choices, each on a line, as the whole value of a field. */
  digest(texts: readonly string[], names: readonly Choice[]): string;
  /** Returns these items of a list if the condition holds. */
  items<Item>(when: Condition<Choice>, items: readonly Item[]): readonly Item[];
  /** Returns these fields if the condition holds. They cannot be the first ones of an item of a list. */
  fields(when: Condition<Choice>, fields: object): object;
}

/** The name of the provider for Cluster API: its type, and what `clusterctl init --ipam` is given. */
const PROVIDER = "ipam-plat";

const variable = (text: string) => `\${${text}}`;

/** The variables of clusterctl for what a user has not said. */
export const CLUSTERCTL_VARIABLES = {
  endpoint: variable("PLAT_ENDPOINT"),
  space: variable(`PLAT_SPACE:=${SPACE_DEFAULT}`),
} as const;

/**
 * Returns the files by which `clusterctl` installs the provider of Cluster API, by their paths in a local repository.
 * https://cluster-api.sigs.k8s.io/developer/providers/contracts/clusterctl
 *
 * @throws {OptionError} if the name of the image lacks its registry, because clusterctl takes no such file
 */
export function providerFiles(options: ManifestOptions): Readonly<Record<string, string>> {
  if (!/^[^/]*[.:][^/]*\//.test(options.image))
    throw new OptionError(
      `--image is ${options.image}; clusterctl needs its registry too, as in registry.example/${IMAGE_DEFAULT}.`,
    );
  const [major, minor] = BUILD.version.split(".").map(Number);
  const folder = `${PROVIDER}/v${BUILD.version}`;
  const metadata = {
    apiVersion: `clusterctl.${CLUSTER_GROUP}/v1alpha3`,
    kind: "Metadata",
    releaseSeries: [{ major, minor, contract: VERSIONS[0] }],
  };
  return {
    [`${folder}/ipam-components.yaml`]: manifest(options),
    [`${folder}/metadata.yaml`]: stringify(metadata),
  };
}

/** Returns the objects that run the controller in a cluster, as YAML. Its rights are exactly those of its parts. */
export function manifest({ namespace, ...options }: ManifestOptions): string {
  const choices: Choices = {
    namespace,
    text: (name) => String(options[name]),
    number: (name) => Number(options[name]),
    digest: (texts, names) =>
      createHash("sha256")
        .update([...texts, ...names.map((name) => String(options[name]))].join("\n"))
        .digest("hex"),
    items: (when, items) => (isTrue(when, options) ? items : []),
    fields: (when, fields) => (isTrue(when, options) ? fields : {}),
  };
  const own = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  return [own, ...objectsOf(choices)].map(yamlOf).join("---\n");
}

/** Returns an object as YAML. */
export const yamlOf = (object: object): string =>
  stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });

/** Returns the objects that run the controller, but for their namespace. */
export function objectsOf(choices: Choices): readonly object[] {
  const { namespace } = choices;
  const labels = { "app.kubernetes.io/name": NAME };
  const own = { name: NAME, namespace, labels };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: own },
    ...rolesOf(NAME, conditionalRights(OWN), choices),
    ...choices.items(CLUSTER_API, poolCrds()),
    ...choices.items(WRITES_NODES, admissionOf(choices)),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: own,
      data: {
        "config.yaml": configOf(choices),
        ...choices.fields(given("agent"), { [CONFLIST]: choices.text("agent") }),
      },
    },
    deploymentOf(choices, labels),
    ...choices.items(given("agent"), agentOf(choices)),
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: own,
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: own,
      spec: { selector: labels, ports: [{ name: "metrics", port: PORT, targetPort: PORT }] },
    },
  ];
}

/** The choices from which the data of the ConfigMap is made: all but one. */
const CONFIGURED = Object.keys({
  endpoint: true,
  space: true,
  region: true,
  tokenSecret: true,
  nodes: true,
  lifecycle: true,
  leases: true,
  cilium: true,
  ciliumFamilies: true,
  ciliumReleaseAfterSeconds: true,
  ciliumWithdrawAfterSeconds: true,
  clusterApi: true,
  endPods: true,
  agent: true,
  collectPods: true,
  calico: true,
  spiderpool: true,
  namespaces: true,
  applications: true,
  deletePools: true,
} satisfies Record<Exclude<Choice, "image">, true>) as readonly Choice[];

/** Returns the annotations of pods that read the ConfigMap only when they start, so that other data makes other pods. */
const configDigest = ({ digest }: Choices) => ({
  "checksum/config": digest([BUILD.version], CONFIGURED),
});

/** Returns the configuration, as YAML. Texts stand in quotes, as a chart writes them. */
function configOf({ text, number, fields }: Choices): string {
  const config = {
    cluster: "auto",
    plat: {
      endpoint: text("endpoint"),
      ...fields(given("space"), { space: text("space") }),
      ...fields(given("region"), { region: text("region") }),
      ...fields(given("tokenSecret"), { tokenFile: `${TOKEN_FOLDER}/token` }),
    },
    nodes: {
      podCIDRs: text("nodes"),
      ...fields(LIFECYCLE, { lifecycle: true }),
      ...fields(LEASES, { leases: true }),
    },
    ...fields(ANSWERS_CILIUM, {
      cilium: {
        mode: text("cilium"),
        ...fields(given("ciliumFamilies"), { families: text("ciliumFamilies") }),
        ...fields(given("ciliumReleaseAfterSeconds"), {
          releaseAfterSeconds: number("ciliumReleaseAfterSeconds"),
        }),
        ...fields(given("ciliumWithdrawAfterSeconds"), {
          withdrawAfterSeconds: number("ciliumWithdrawAfterSeconds"),
        }),
      },
    }),
    ...fields(CLUSTER_API, { clusterApi: true }),
    ...fields(anyOf([END_PODS, COLLECTS]), {
      pods: {
        ...fields(END_PODS, { end: true }),
        ...fields(COLLECTS, { collect: text("collectPods") }),
      },
    }),
    ...fields(CALICO, { calico: true }),
    ...fields(SPIDERPOOL, { spiderpool: true }),
    ...fields(FOLLOWS_NAMESPACES, { namespaces: true }),
    ...fields(FOLLOWS_APPLICATIONS, { applications: true }),
    ...fields(DELETE_POOLS, { deletePools: true }),
  };
  return stringify(config, {
    lineWidth: 0,
    defaultKeyType: "PLAIN",
    defaultStringType: "QUOTE_DOUBLE",
  });
}

/**
 * Returns the CRDs of the pools that claims of Cluster API name. Its contract asks for the labels, and `clusterctl move`
 * takes objects only of CRDs with the last one.
 */
const poolCrds = (): readonly object[] =>
  Object.entries(POOL_COLLECTIONS).map(([kind, plural]) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${POOL_GROUP}`,
      labels: {
        [`${CLUSTER_GROUP}/provider`]: PROVIDER,
        ...Object.fromEntries(
          VERSIONS.map((contract) => [`${CLUSTER_GROUP}/${contract}`, POOL_VERSION]),
        ),
        [`clusterctl.${CLUSTER_GROUP}`]: "",
      },
    },
    spec: {
      group: POOL_GROUP,
      scope: kind === "PlatIPPool" ? "Namespaced" : "Cluster",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: POOL_VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: "Pool", type: "string", jsonPath: ".spec.pool" },
            {
              name: "Ready",
              type: "string",
              jsonPath: '.status.conditions[?(@.type=="Ready")].status',
            },
          ],
          schema: { openAPIV3Schema: POOL_SCHEMA },
        },
      ],
    },
  }));

const text = (description: string, more: object = {}) => ({ type: "string", description, ...more });

/** The schema of a pool for claims. Plat's pool cannot change, because claims have its addresses. */
const POOL_SCHEMA = {
  type: "object",
  description: "A pool of Plat for claims of Cluster API",
  required: ["spec"],
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: {
      type: "object",
      required: ["pool"],
      properties: {
        pool: text("The name of the pool in Plat", {
          minLength: 1,
          maxLength: NAME_CHARACTERS_MAX,
          pattern: RESOURCE_NAME.source,
          "x-kubernetes-validations": [
            { rule: "self == oldSelf", message: "cannot change; create another pool" },
          ],
        }),
      },
    },
    status: {
      type: "object",
      properties: {
        conditions: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["type"],
          items: {
            type: "object",
            required: ["type", "status", "reason", "message", "lastTransitionTime"],
            properties: {
              type: text("Ready"),
              status: text("True if the pool serves claims", {
                enum: ["True", "False", "Unknown"],
              }),
              reason: text("The reason, as a word for programs"),
              message: text("The reason, for people"),
              lastTransitionTime: text("The time of the last change", { format: "date-time" }),
            },
          },
        },
      },
    },
  },
} as const;

/** The place of the controller's namespace in its rights: which one that is, Helm says later. */
const OWN = "@@own";

/**
 * Returns the roles of an account and their bindings: for the cluster, and for each namespace in which there is a right. In a
 * namespace of Kubernetes a role also has the name of its resource, because the controller may be in that namespace too.
 */
function rolesOf(
  name: string,
  rights: readonly ConditionalRight[],
  choices: Choices,
): readonly object[] {
  const scopes = [...new Set(rights.map(({ namespace }) => namespace))];
  return scopes.flatMap((namespace) => {
    const prefix = namespace === undefined ? "Cluster" : "";
    const own = rights.filter((right) => right.namespace === namespace);
    const isFixed = namespace !== undefined && namespace !== OWN;
    const metadata = {
      name: isFixed ? `${name}-${own[0]?.resource}` : name,
      ...(namespace !== undefined && { namespace: isFixed ? namespace : choices.namespace }),
    };
    const roles = [
      {
        apiVersion: `${RBAC}/v1`,
        kind: `${prefix}Role`,
        metadata,
        rules: rulesOf(own, choices),
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: `${prefix}RoleBinding`,
        metadata,
        roleRef: { apiGroup: RBAC, kind: `${prefix}Role`, name: metadata.name },
        subjects: [{ kind: "ServiceAccount", name, namespace: choices.namespace }],
      },
    ];
    return within(ALWAYS, conditionOf(own), roles, choices);
  });
}

const conditionOf = (rights: readonly ConditionalRight[]) => anyOf(rights.map(({ when }) => when));

/** Returns the rules of a role: one for each resource, and for the one object that a right is limited to. */
function rulesOf(rights: readonly ConditionalRight[], choices: Choices): readonly object[] {
  const rules = new Map<string, ConditionalRight[]>();
  for (const right of rights) {
    const { group, resource, name } = right;
    const key = JSON.stringify({
      apiGroups: [group],
      resources: [resource],
      ...(name !== undefined && { resourceNames: [name] }),
    });
    rules.set(key, [...(rules.get(key) ?? []), right]);
  }
  const whole = conditionOf(rights);
  return [...rules].flatMap(([key, own]) => {
    const condition = conditionOf(own);
    const verbs = own.flatMap(({ when, verb }) => within(condition, when, [verb], choices));
    return within(whole, condition, [{ ...JSON.parse(key), verbs }], choices);
  });
}

/** Returns items under a condition, within something that is there under another one. */
const within = <Item>(
  outer: Condition<Choice>,
  when: Condition<Choice>,
  items: readonly Item[],
  choices: Choices,
): readonly Item[] => (same(outer, when) ? items : choices.items(when, items));

/**
 * Returns the policy that denies the controller every change of a Node but its podCIDRs and its taints, if it writes
 * them. No role can say that. It binds nobody else. https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
function admissionOf({ namespace, items }: Choices): readonly object[] {
  const name = "plat-controller-nodes";
  const same = (field: string, otherwise: string) => {
    const [first = "", ...rest] = field.split(".");
    const of = (object: string) => `${object}.${first}.?${rest.join(".?")}.orValue(${otherwise})`;
    return {
      expression: `${of("object")} == ${of("oldObject")}`,
      message: `plat-controller must not change ${field}`,
    };
  };
  return [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["nodes"] },
          ],
        },
        matchConditions: [
          {
            name: "by-plat-controller",
            expression: `request.userInfo.username == "system:serviceaccount:${namespace}:${NAME}"`,
          },
        ],
        validations: [
          same("metadata.labels", "{}"),
          same("metadata.annotations", "{}"),
          same("metadata.finalizers", "[]"),
          same("metadata.ownerReferences", "[]"),
          same("spec.unschedulable", "false"),
          same("spec.providerID", '""'),
          ...items(not(LIFECYCLE), [same("spec.taints", "[]")]),
          ...items(not(WRITES_RANGES), [same("spec.podCIDR", '""'), same("spec.podCIDRs", "[]")]),
        ],
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}

/** Returns the objects of the agents: a pod on each node, with an account of its own. */
function agentOf(choices: Choices): readonly object[] {
  const { namespace, text } = choices;
  const labels = { "app.kubernetes.io/name": AGENT };
  const own = { name: AGENT, namespace, labels };
  const rights = AGENT_RIGHTS.map((right) => ({ ...right, when: ALWAYS }));
  const folders = Object.entries(AGENT_FOLDERS);
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: own },
    ...rolesOf(AGENT, rights, choices),
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: own,
      spec: {
        selector: { matchLabels: labels },
        updateStrategy: { rollingUpdate: { maxUnavailable: "10%" } },
        template: {
          metadata: { labels, annotations: configDigest(choices) },
          spec: {
            serviceAccountName: AGENT,
            // It gives pods their network, so it must not wait for it, on any node.
            hostNetwork: true,
            priorityClassName: "system-node-critical",
            tolerations: [{ operator: "Exists" }],
            // The folders of plugins belong to root.
            securityContext: { runAsUser: 0, seccompProfile: { type: "RuntimeDefault" } },
            containers: [
              {
                name: "agent",
                image: text("image"),
                command: PROGRAM,
                args: [
                  ...["agent", "--config", "/etc/plat/config.yaml", "--node", "$(NODE_NAME)"],
                  ...["--agent", `/etc/plat/${CONFLIST}`, "--listen", `:${AGENT_PORT}`],
                ],
                env: [
                  { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                ],
                ports: [{ name: "metrics", containerPort: AGENT_PORT }],
                ...probesOf(AGENT_PORT),
                resources: {
                  requests: { cpu: "50m", memory: "128Mi" },
                  limits: { memory: "256Mi" },
                },
                securityContext: CONFINED,
                volumeMounts: [
                  { name: "config", mountPath: "/etc/plat", readOnly: true },
                  ...folders.map(([name, mountPath]) => ({ name, mountPath })),
                  ...tokenMount(choices),
                ],
              },
            ],
            volumes: [
              { name: "config", configMap: { name: NAME } },
              ...folders.map(([name, path]) => ({
                name,
                hostPath: { path, type: "DirectoryOrCreate" },
              })),
              ...tokenVolume(choices),
            ],
          },
        },
      },
    },
  ];
}

/** The program by the name that it has in the image, whose own entry is `plat`. */
const PROGRAM = ["plat-controller"];

/** The container may do nothing but its work. */
const CONFINED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
} as const;

function probesOf(port: number) {
  const probe = (path: string) => ({ httpGet: { path, port }, periodSeconds: 10 });
  return { readinessProbe: probe("/readyz"), livenessProbe: probe("/healthz") };
}

const tokenMount = ({ items }: Choices) =>
  items(given("tokenSecret"), [{ name: "token", mountPath: TOKEN_FOLDER, readOnly: true }]);

const tokenVolume = ({ text, items }: Choices) =>
  items(given("tokenSecret"), [{ name: "token", secret: { secretName: text("tokenSecret") } }]);

/** Returns a toleration of a taint, whatever its value. */
const tolerationOf = (key: string, effect: "NoSchedule" | "NoExecute") =>
  ({ key, operator: "Exists", effect }) as const;

function deploymentOf(choices: Choices, labels: Readonly<Record<string, string>>): object {
  const { namespace, text } = choices;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: NAME, namespace, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      // A new pod needs the port of its node, which an old one has where there are only two nodes.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: {
        metadata: { labels, annotations: configDigest(choices) },
        spec: {
          serviceAccountName: NAME,
          // It runs before a node has a podCIDR, so it must not wait for the network of pods.
          hostNetwork: true,
          priorityClassName: "system-cluster-critical",
          tolerations: [
            tolerationOf("node.kubernetes.io/not-ready", "NoSchedule"),
            tolerationOf("node.kubernetes.io/network-unavailable", "NoSchedule"),
            tolerationOf("node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule"),
            tolerationOf("node-role.kubernetes.io/control-plane", "NoSchedule"),
            // Cilium's agent takes it away once its node has a range.
            tolerationOf("node.cilium.io/agent-not-ready", "NoSchedule"),
            tolerationOf("node.cilium.io/agent-not-ready", "NoExecute"),
          ],
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              // clusterctl looks for this name.
              name: "manager",
              image: text("image"),
              command: PROGRAM,
              args: ["run", "--config", "/etc/plat/config.yaml", "--listen", `:${PORT}`],
              ports: [{ name: "metrics", containerPort: PORT }],
              ...probesOf(PORT),
              resources: {
                requests: { cpu: "100m", memory: "128Mi" },
                limits: { memory: "256Mi" },
              },
              securityContext: CONFINED,
              volumeMounts: [
                { name: "config", mountPath: "/etc/plat", readOnly: true },
                ...tokenMount(choices),
              ],
            },
          ],
          volumes: [{ name: "config", configMap: { name: NAME } }, ...tokenVolume(choices)],
        },
      },
    },
  };
}
