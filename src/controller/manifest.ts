import { stringify } from "yaml";
import { SPACE_DEFAULT } from "../api/route.ts";
import { BUILD } from "../base/build.ts";
import type { CiliumMode } from "../nouns/cilium/object.ts";
import { CLUSTER_GROUP, POOL_GROUP, POOL_KINDS, POOL_VERSION, VERSIONS } from "./cluster-api.ts";
import type { NodeMode } from "./nodes.ts";
import { LEASE, type Right, rightsOf } from "./rights.ts";

export const NAMESPACE_DEFAULT = "plat-system";
export const IMAGE_DEFAULT = `plat-controller:${BUILD.version}`;

const NAME = LEASE;
const PORT = 9964;
const RBAC = "rbac.authorization.k8s.io";
const TOKEN_FOLDER = "/var/run/secrets/plat";

/** The choices of a user for the manifest. */
export interface ManifestOptions {
  readonly endpoint: string;
  readonly space: string | undefined;
  readonly region: string | undefined;
  /** The Secret with a token in its key `token`. */
  readonly tokenSecret: string | undefined;
  readonly mode: NodeMode | "off";
  /** The mode of Cilium; absent if it is not the controller that answers CiliumNodes. */
  readonly cilium: CiliumMode | undefined;
  /** True for a provider of Cluster API, with the CRDs of its pools. */
  readonly clusterApi: boolean;
  /** True if Plat is told which pods are over. */
  readonly endPods: boolean;
  readonly namespace: string;
  readonly image: string;
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
 * @throws {Error} if the name of the image lacks its registry, because clusterctl takes no such file
 */
export function providerFiles(options: ManifestOptions): Readonly<Record<string, string>> {
  if (!/^[^/]*[.:][^/]*\//.test(options.image))
    throw new Error(
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
export function manifest(options: ManifestOptions): string {
  return objectsOf(options)
    .map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join("---\n");
}

function objectsOf(options: ManifestOptions): readonly object[] {
  const { namespace, mode, cilium, clusterApi, endPods } = options;
  const switches = { nodes: mode, cilium: cilium !== undefined, clusterApi, pods: endPods };
  const labels = { "app.kubernetes.io/name": NAME };
  const own = { name: NAME, namespace, labels };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: own },
    ...rolesOf(rightsOf(switches, namespace), namespace),
    ...(clusterApi ? poolCrds() : []),
    ...(mode === "write" ? admissionOf(namespace) : []),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: own,
      data: { "config.yaml": stringify(configOf(options)) },
    },
    deploymentOf(options, labels),
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

const configOf = ({
  endpoint,
  space,
  region,
  tokenSecret,
  mode,
  cilium,
  clusterApi,
  endPods,
}: ManifestOptions) => ({
  cluster: "auto",
  plat: {
    endpoint,
    ...(space !== undefined && { space }),
    ...(region !== undefined && { region }),
    ...(tokenSecret !== undefined && { tokenFile: `${TOKEN_FOLDER}/token` }),
  },
  nodes: { podCIDRs: mode },
  ...(cilium !== undefined && { cilium: { mode: cilium } }),
  ...(clusterApi && { clusterApi }),
  ...(endPods && { pods: { end: true } }),
});

/**
 * Returns the CRDs of the pools that claims of Cluster API name. Its contract asks for the labels, and `clusterctl move`
 * takes objects only of CRDs with the last one.
 */
const poolCrds = (): readonly object[] =>
  Object.entries(POOL_KINDS).map(([kind, plural]) => ({
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
          maxLength: 253,
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

/** Returns a role and its binding for the cluster, and for each namespace in which there is a right. */
function rolesOf(rights: readonly Right[], accounts: string): readonly object[] {
  const scopes = [...new Set(rights.map(({ namespace }) => namespace))];
  return scopes.flatMap((namespace) => {
    const prefix = namespace === undefined ? "Cluster" : "";
    const metadata = { name: NAME, ...(namespace !== undefined && { namespace }) };
    return [
      {
        apiVersion: `${RBAC}/v1`,
        kind: `${prefix}Role`,
        metadata,
        rules: rulesOf(rights.filter((right) => right.namespace === namespace)),
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: `${prefix}RoleBinding`,
        metadata,
        roleRef: { apiGroup: RBAC, kind: `${prefix}Role`, name: NAME },
        subjects: [{ kind: "ServiceAccount", name: NAME, namespace: accounts }],
      },
    ];
  });
}

/** Returns the rules of a role: one for each resource, and for the one object that a right is limited to. */
function rulesOf(rights: readonly Right[]): readonly object[] {
  const verbs = new Map<string, string[]>();
  for (const { group, resource, name, verb } of rights) {
    const key = JSON.stringify({
      apiGroups: [group],
      resources: [resource],
      ...(name !== undefined && { resourceNames: [name] }),
    });
    verbs.set(key, [...(verbs.get(key) ?? []), verb]);
  }
  return [...verbs].map(([key, each]) => ({ ...JSON.parse(key), verbs: each }));
}

/**
 * Returns the policy that denies the controller every change of a Node but its podCIDRs, which no role can say. It binds
 * nobody else. https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
function admissionOf(namespace: string): readonly object[] {
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
          same("spec.taints", "[]"),
          same("spec.providerID", '""'),
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

function deploymentOf(
  { namespace, image, tokenSecret }: ManifestOptions,
  labels: Readonly<Record<string, string>>,
): object {
  const probe = (path: string) => ({ httpGet: { path, port: PORT }, periodSeconds: 10 });
  const mounts = [
    { name: "config", mountPath: "/etc/plat", readOnly: true },
    ...(tokenSecret === undefined
      ? []
      : [{ name: "token", mountPath: TOKEN_FOLDER, readOnly: true }]),
  ];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: NAME, namespace, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          // It runs before a node has a podCIDR, so it must not wait for the network of pods.
          hostNetwork: true,
          priorityClassName: "system-cluster-critical",
          tolerations: [
            { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
            { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
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
              image,
              args: ["run", "--config", "/etc/plat/config.yaml", "--listen", `:${PORT}`],
              ports: [{ name: "metrics", containerPort: PORT }],
              readinessProbe: probe("/readyz"),
              livenessProbe: probe("/healthz"),
              resources: {
                requests: { cpu: "100m", memory: "128Mi" },
                limits: { memory: "256Mi" },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
              volumeMounts: mounts,
            },
          ],
          volumes: [
            { name: "config", configMap: { name: NAME } },
            ...(tokenSecret === undefined
              ? []
              : [{ name: "token", secret: { secretName: tokenSecret } }]),
          ],
        },
      },
    },
  };
}
