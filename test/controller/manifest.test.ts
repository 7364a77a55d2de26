import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import packed from "../../package.json" with { type: "json" };
import { chartFiles } from "../../src/controller/chart.ts";
import { parseConfig, readConfig } from "../../src/controller/config.ts";
import {
  AGENT_FOLDERS,
  CLUSTERCTL_VARIABLES,
  manifest,
  providerFiles,
} from "../../src/controller/manifest.ts";
import { AGENT_RIGHTS, missingRights, rightsOf, rightText } from "../../src/controller/rights.ts";
import { FakeCluster } from "./fake-cluster.ts";

const OPTIONS = {
  endpoint: "https://plat.example/prod",
  space: "cluster-7",
  region: "eu-west-1",
  tokenSecret: "",
  nodes: "write",
  lifecycle: false,
  leases: false,
  cilium: "off",
  ciliumFamilies: "",
  ciliumReleaseAfterSeconds: "",
  ciliumWithdrawAfterSeconds: "",
  clusterApi: false,
  endPods: false,
  agent: "",
  calico: false,
  spiderpool: false,
  namespaces: false,
  applications: false,
  collectPods: "off",
  deletePools: false,
  namespace: "plat-system",
  image: "plat-controller:1",
} as const;

/** Ports of a node that others use. */
const OF_OTHERS = [
  // Datapath, health and Hubble of Cilium, and its debuggers.
  [4240, 4245],
  [6060, 6062],
  // MetalLB.
  [7472, 7473],
  [7946, 7946],
  // Exporters of Prometheus, Calico, the metrics of Cilium and its Envoy.
  [9000, 9999],
  // kubelet, kube-proxy and the control plane.
  [10_248, 10_260],
  // NodePorts, and what the kernel gives to connections.
  [30_000, 65_535],
] as const;

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly data?: Readonly<Record<string, string>>;
}

const printed = (options: Partial<Parameters<typeof manifest>[0]> = {}): readonly Printed[] =>
  parseAllDocuments(manifest({ ...OPTIONS, ...options })).map((one) => one.toJS() as Printed);

/** Returns the rights that the roles of a manifest grant, in words. */
const grantedBy = (objects: readonly Printed[]): readonly string[] =>
  objects.flatMap(({ metadata: { namespace }, rules = [] }) =>
    rules.flatMap(({ apiGroups: [group = ""], resources: [resource = ""], resourceNames, verbs }) =>
      verbs.map((verb) =>
        rightText({
          group,
          resource,
          verb,
          ...(namespace !== undefined && { namespace }),
          ...(resourceNames?.[0] !== undefined && { name: resourceNames[0] }),
        }),
      ),
    ),
  );

describe("the manifest", () => {
  it.each([
    ["write", "off", []],
    ["observe", "off", []],
    ["observe", "crd", ["endPods"]],
    ["observe", "crd", ["lifecycle"]],
    ["write", "off", ["leases", "lifecycle"]],
    ["write", "off", ["clusterApi"]],
    ["off", "off", ["clusterApi"]],
    ["off", "off", ["endPods"]],
    ["off", "off", ["calico"]],
    ["off", "off", ["spiderpool"]],
    ["off", "off", ["namespaces"]],
    ["off", "off", ["applications"]],
    ["off", "off", ["collectPods"]],
    ["off", "off", ["collectPods", "endPods"]],
  ] as const)(
    "grants exactly the rights of the mode %s with Cilium in %s and %j",
    (nodes, cilium, on: readonly string[]) => {
      const [lifecycle, leases] = [on.includes("lifecycle"), on.includes("leases")];
      const [clusterApi, endPods] = [on.includes("clusterApi"), on.includes("endPods")];
      const [calico, spiderpool] = [on.includes("calico"), on.includes("spiderpool")];
      const older = { nodes, lifecycle, leases, cilium, clusterApi, endPods };
      const [namespaces, applications] = [on.includes("namespaces"), on.includes("applications")];
      const collectPods = on.includes("collectPods") ? "report" : "off";
      const declaring = { calico, spiderpool, namespaces, applications };
      const switches = { ...older, ...declaring, collectPods } as const;
      const needed = rightsOf(switches, "plat-system").map(rightText);
      expect([...grantedBy(printed(switches))].sort()).toEqual([...needed].sort());
      expect(needed.includes("watch pods")).toBe(endPods);
      expect(needed.includes("get pods")).toBe(collectPods !== "off");
      for (const group of ["crd.projectcalico.org", "projectcalico.org"])
        expect(needed.includes(`list ippools.${group}`)).toBe(calico);
      expect(needed.includes("watch spidersubnets.spiderpool.spidernet.io")).toBe(spiderpool);
      expect(needed.includes("patch nodes")).toBe(nodes === "write" || lifecycle);
      expect(needed.includes("watch leases.coordination.k8s.io -n kube-node-lease")).toBe(leases);
      expect(needed.includes("list nodes")).toBe(nodes !== "off");
      expect(needed.includes("patch ciliumnodes/status.cilium.io")).toBe(cilium !== "off");
      expect(needed.includes("delete ipaddresses.ipam.cluster.x-k8s.io")).toBe(clusterApi);
      expect(needed.includes("watch namespaces")).toBe(namespaces);
      for (const resource of ["statefulsets.apps", "cronjobs.batch"])
        expect(needed.includes(`list ${resource}`)).toBe(applications);
      // Claims and applications have their Events in their own namespaces.
      expect(needed.includes("create events")).toBe(clusterApi || applications);
      // Ends of Pods have none.
      const isSilent = nodes === "off" && cilium === "off" && on.join() === "endPods";
      expect(needed.some((right) => right.startsWith("create events"))).toBe(!isSilent);
    },
  );

  it("lets the controller run on the taints of a node that waits for its network", () => {
    const deployment = printed().find(({ kind }) => kind === "Deployment") as {
      spec?: { template: { spec: { tolerations: readonly object[] } } };
    };
    const tolerated = deployment.spec?.template.spec.tolerations;
    // Without an operator a toleration is of a taint without a value alone.
    for (const [key, effect] of [
      ["node.kubernetes.io/not-ready", "NoSchedule"],
      ["node.kubernetes.io/network-unavailable", "NoSchedule"],
      ["node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule"],
      ["node-role.kubernetes.io/control-plane", "NoSchedule"],
      ["node.cilium.io/agent-not-ready", "NoSchedule"],
      ["node.cilium.io/agent-not-ready", "NoExecute"],
    ])
      expect(tolerated).toContainEqual({ key, operator: "Exists", effect });
  });

  it("has an agent for each node with exactly its own rights, and none without a list of plugins", () => {
    const ofAgent = (objects: readonly Printed[]) =>
      objects.filter(({ metadata }) => metadata.name === "plat-agent");
    expect(ofAgent(printed())).toEqual([]);
    const agent = '{"name": "podnet"}\n';
    const objects = printed({ agent, tokenSecret: "plat-token" });
    expect(grantedBy(ofAgent(objects))).toEqual([
      ...["get pods", "list pods", "watch pods"],
      ...["get namespaces", "list namespaces", "watch namespaces"],
      ...["get replicasets.apps", "get jobs.batch"],
    ]);
    // Those of the controller stay what they are.
    expect(grantedBy(objects).length).toBe(grantedBy(printed()).length + AGENT_RIGHTS.length);
    const [daemonSet] = ofAgent(objects).filter(({ kind }) => kind === "DaemonSet");
    expect(daemonSet).toMatchObject({
      spec: {
        template: {
          spec: {
            serviceAccountName: "plat-agent",
            hostNetwork: true,
            priorityClassName: "system-node-critical",
            tolerations: [{ operator: "Exists" }],
            containers: [
              {
                volumeMounts: [
                  { name: "config" },
                  { name: "folder", mountPath: "/var/lib/plat-agent" },
                  { name: "plugins", mountPath: "/opt/cni/bin" },
                  { name: "conflists", mountPath: "/etc/cni/net.d" },
                  { name: "token" },
                ],
              },
            ],
          },
        },
      },
    });
    const config = objects.find(({ kind }) => kind === "ConfigMap");
    expect(config?.data?.["10-plat.conflist"]).toBe(agent);
  });

  it("has what the plugin leaves behind in a folder that outlives a reboot, where the plugin looks for its agent", async () => {
    expect(AGENT_FOLDERS.folder).toMatch(/^\/var\/lib\//);
    const plugin = await readFile(new URL("../../cni/main.go", import.meta.url), "utf8");
    expect(plugin).toContain(`socketDefault = "${AGENT_FOLDERS.folder}/agent.sock"`);
  });

  it("has the pools of claims for a provider of Cluster API, named as its contract says", () => {
    const crds = (options: Partial<Parameters<typeof manifest>[0]>) =>
      printed(options).filter(({ kind }) => kind === "CustomResourceDefinition");
    const found = crds({ clusterApi: true });
    expect(found.map(({ metadata }) => metadata.name)).toEqual([
      "platippools.ipam.plat",
      "platglobalippools.ipam.plat",
    ]);
    expect(crds({})).toEqual([]);
    for (const text of found.map((crd) => JSON.stringify(crd))) {
      const [, pattern = ""] = /"pattern":("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
      const isName = new RegExp(JSON.parse(pattern));
      expect(["machines", "a.b-1"].filter((name) => !isName.test(name))).toEqual([]);
      expect(["machines#1", "%", "a?", ".", "..", "M"].filter((name) => isName.test(name))).toEqual(
        [],
      );
    }
  });

  it("replaces the pods when the configuration differs, and only then", () => {
    const agent = '{"name": "podnet"}';
    const podsOf = (options: Partial<Parameters<typeof manifest>[0]>) =>
      printed({ agent, ...options })
        .filter(({ kind }) => kind === "Deployment" || kind === "DaemonSet")
        .map((each) => JSON.stringify(each));
    const whole = podsOf({});
    expect(whole).toHaveLength(2);
    expect(podsOf({})).toEqual(whole);
    const others: readonly Partial<Parameters<typeof manifest>[0]>[] = [
      { nodes: "observe" },
      { space: "cluster-8" },
      { agent: '{"name": "other"}' },
      { endPods: true },
      { cilium: "crd", nodes: "observe" },
      { ciliumFamilies: "4,6" },
      { ciliumReleaseAfterSeconds: 180 },
      { ciliumWithdrawAfterSeconds: 0 },
    ];
    for (const options of others)
      for (const [index, pods] of podsOf(options).entries())
        expect(pods, JSON.stringify(options)).not.toBe(whole[index]);
  });

  it("replaces one replica before the next begins, because both need the port of their node", () => {
    expect(printed().find(({ kind }) => kind === "Deployment")).toMatchObject({
      spec: {
        replicas: 2,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      },
    });
  });

  it("listens on ports of the host that no other program there uses", () => {
    const text = manifest({ ...OPTIONS, agent: '{"name": "podnet"}\n' });
    const ports = [...text.matchAll(/containerPort: (\d+)/g)].map(([, port]) => Number(port));
    expect(new Set(ports).size).toBe(2);
    for (const port of ports)
      for (const [from, to] of OF_OTHERS) {
        const isFree = port < from || port > to;
        expect(isFree, `${port} is within ${from} to ${to}`).toBe(true);
      }
  });

  it("is the components file of a provider as it is, beside a metadata file with its contract", () => {
    const image = "registry.example/plat-controller:1";
    const options = { ...OPTIONS, nodes: "off", clusterApi: true, image } as const;
    expect(() => providerFiles({ ...options, image: OPTIONS.image })).toThrow(
      "--image is plat-controller:1; clusterctl needs its registry too, as in registry.example/",
    );
    const files = providerFiles({ ...options, ...CLUSTERCTL_VARIABLES });
    const version = packed.version;
    expect(Object.keys(files)).toEqual([
      `ipam-plat/v${version}/ipam-components.yaml`,
      `ipam-plat/v${version}/metadata.yaml`,
    ]);
    const [components = "", metadata = ""] = Object.values(files);
    const filled = components
      .replace(/\$\{PLAT_ENDPOINT\}/, OPTIONS.endpoint)
      .replace(/\$\{PLAT_SPACE:=default\}/, OPTIONS.space);
    // clusterctl fills in the variables later, and makes the pods anew with each version.
    const withoutDigest = (text: string) => text.replaceAll(/[0-9a-f]{64}/g, "");
    expect(withoutDigest(filled)).toBe(withoutDigest(manifest(options)));
    const [major, minor] = version.split(".").map(Number);
    expect(parse(metadata)).toMatchObject({
      kind: "Metadata",
      releaseSeries: [{ major, minor, contract: "v1beta2" }],
    });
  });

  it("has a configuration that the controller reads", () => {
    const config = (options: Partial<Parameters<typeof manifest>[0]>) =>
      parseConfig(
        printed(options).find(({ kind }) => kind === "ConfigMap")?.data?.["config.yaml"] ?? "",
      );
    expect(config({})).toEqual({
      cluster: "auto",
      plat: { endpoint: OPTIONS.endpoint, region: "eu-west-1", space: "cluster-7" },
      nodes: { podCIDRs: "write", lifecycle: false, leases: false, completeSeconds: 300 },
      clusterApi: false,
      pods: { end: false, collect: "off", collectSeconds: 900 },
      calico: false,
      spiderpool: false,
      namespaces: false,
      applications: false,
      deletePools: false,
    });
    expect(config({ tokenSecret: "plat-token", nodes: "observe" })).toMatchObject({
      plat: { tokenFile: "/var/run/secrets/plat/token" },
      nodes: { podCIDRs: "observe" },
    });
    expect(config({ nodes: "off", clusterApi: true, endPods: true })).toMatchObject({
      nodes: { podCIDRs: "off" },
      clusterApi: true,
      pods: { end: true },
    });
    expect(config({ collectPods: "release" }).pods).toMatchObject({
      end: false,
      collect: "release",
    });
    const pools = { calico: true, spiderpool: true, deletePools: true };
    const declaring = { ...pools, namespaces: true, applications: true };
    expect(config(declaring)).toMatchObject(declaring);
    expect(config({ lifecycle: true, leases: true }).nodes).toMatchObject({
      lifecycle: true,
      leases: true,
    });
    expect(config({ cilium: "multi-pool" }).cilium).toEqual({
      mode: "multi-pool",
      everySeconds: 60,
    });
    const said = {
      ciliumFamilies: "4,6",
      ciliumReleaseAfterSeconds: 180,
      ciliumWithdrawAfterSeconds: 0,
    } as const;
    expect(config({ cilium: "crd", nodes: "observe", ...said }).cilium).toEqual({
      mode: "crd",
      everySeconds: 60,
      families: "4,6",
      releaseAfterSeconds: 180,
      withdrawAfterSeconds: 0,
    });
  });

  it("binds the policy to the account of the controller, and has none where it writes nothing", () => {
    const policies = (objects: readonly Printed[]) =>
      objects.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
    expect(JSON.stringify(policies(printed({ namespace: "other" })))).toContain(
      "system:serviceaccount:other:plat-controller",
    );
    expect(policies(printed({ nodes: "observe" }))).toEqual([]);
    const denied = (options: Partial<Parameters<typeof manifest>[0]>) =>
      JSON.stringify(policies(printed(options))).match(/(?<=must not change spec\.)\w+/g);
    const always = ["unschedulable", "providerID"];
    expect(denied({})).toEqual([...always, "taints"]);
    expect(denied({ lifecycle: true })).toEqual(always);
    expect(denied({ nodes: "observe", cilium: "crd", lifecycle: true })).toEqual([
      ...always,
      "podCIDR",
      "podCIDRs",
    ]);
  });
});

it("the chart has a value for each choice, and each line with an action belongs to Helm", () => {
  const files = chartFiles();
  const [chart = "", values = "", schema = "", template = ""] = Object.values(files);
  expect(Object.keys(files)).toEqual([
    "plat-controller/Chart.yaml",
    "plat-controller/values.yaml",
    "plat-controller/values.schema.json",
    "plat-controller/templates/plat-controller.yaml",
  ]);
  expect(parse(chart)).toMatchObject({ version: packed.version, appVersion: packed.version });
  const { namespace: _, ...choices } = OPTIONS;
  const named = Object.keys(choices).sort();
  expect(Object.keys(parse(values)).sort()).toEqual(named);
  expect(Object.keys(JSON.parse(schema).properties).sort()).toEqual([...named, "global"].sort());
  expect(named.filter((name) => !template.includes(`.Values.${name}`))).toEqual([]);
  const actions = template.split("\n").filter((line) => /\{\{|@@/.test(line));
  const plain =
    /^\{\{- .* \}\}$|^ +(?:[\w./-]+: )+(?:\{\{ .* \| (?:quote|int) \}\}|"\{\{ .Release.Namespace \}\}")$/;
  expect(actions.filter((line) => !plain.test(line))).toEqual([
    `      expression: request.userInfo.username == "system:serviceaccount:{{ .Release.Namespace }}:plat-controller"`,
  ]);
});

it.each(["plat-system", "default", "kube-node-lease"])(
  "no two objects of the chart or the manifest have one name in the namespace %s",
  (namespace) => {
    const on = { leases: true, agent: "{}" };
    const template = chartFiles()["plat-controller/templates/plat-controller.yaml"] ?? "";
    const rendered = template
      .replaceAll("{{ .Release.Namespace }}", namespace)
      .replaceAll(/\{\{ .* \}\}/g, '""')
      .replaceAll(/^(\{\{- .*|"")\n/gm, "");
    for (const text of [rendered, manifest({ ...OPTIONS, ...on, namespace })]) {
      const names = parseAllDocuments(text).flatMap((one) => {
        const { kind, metadata } = one.toJS() as Printed;
        return `${kind} ${metadata.namespace} ${metadata.name}`;
      });
      expect(names).toContain("Role default plat-controller-events");
      expect(names).toContain("Role kube-node-lease plat-controller-leases");
      expect(names).toEqual([...new Set(names)]);
    }
  },
);

it("the rights that the API server denies are told in the words of kubectl", async () => {
  const cluster = new FakeCluster();
  const missing = async () =>
    (
      await missingRights(
        cluster,
        rightsOf({ ...OPTIONS, cilium: "crd" }, "ns"),
        new AbortController().signal,
      )
    ).map(rightText);
  expect(await missing()).toEqual([]);
  cluster.denied
    .add("patch ciliumnodes/status")
    .add("watch nodes")
    .add("update leases")
    .add("patch events");
  expect(await missing()).toEqual([
    "watch nodes",
    "patch ciliumnodes/status.cilium.io",
    "patch events -n default",
    "update leases.coordination.k8s.io/plat-controller -n ns",
  ]);
});

describe("a configuration", () => {
  it.each([
    ["nodes: {podCIDRs: both}", "nodes.podCIDRs must be one of write, observe, off"],
    ["nodes: {completeSeconds: 1}", "nodes.completeSeconds must be a whole number from 10 to 3600"],
    ["cilium: {mode: eni}", "cilium.mode must be one of cluster-pool, kubernetes"],
    [
      "cilium: {mode: kubernetes, families: 6}",
      'cilium.families must be "4", "6" or "4,6", in quotes',
    ],
    [
      "cilium: {mode: crd, releaseAfterSeconds: 3601}",
      "cilium.releaseAfterSeconds must be a whole number from 0 to 3600",
    ],
    [
      "cilium: {mode: crd, withdrawAfterSeconds: -1}",
      "cilium.withdrawAfterSeconds must be a whole number from 0 to 3600",
    ],
    ["nodes: {lifecycle: taints}", "nodes.lifecycle must be true or false"],
    ["pods: {collect: all}", "pods.collect must be one of report, release, off"],
    ["calico: pools", "calico must be true or false"],
    ["pods: {end: sometimes}", "pods.end must be true or false"],
    ["plat: {}", "plat.endpoint"],
    ["lifecycle: taints", "lifecycle is not a field here"],
    ["cluster: a b", "cluster must be 1 to 64 letters"],
  ])("names the field at fault: %s", (yaml, problem) => {
    const whole = yaml.startsWith("plat") ? yaml : `plat: {endpoint: "http://p"}\n${yaml}`;
    expect(() => parseConfig(whole)).toThrow(problem);
  });

  it("that is not UTF-8 is rejected with its line", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plat-config-"));
    const path = join(folder, "config.yaml");
    await writeFile(
      path,
      Buffer.from('plat: {endpoint: "http://p"}\ncluster: m\xfcller\n', "latin1"),
    );
    await expect(readConfig(path)).rejects.toThrow(`${path}, line 2, is not UTF-8`);
    await rm(folder, { recursive: true });
  });
});
