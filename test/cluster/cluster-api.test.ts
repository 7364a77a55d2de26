import { spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import type { KubeObject } from "../../src/controller/kube/reflector.ts";
import {
  applyCrds,
  type Lab,
  type Manifest,
  printedBy,
  probe,
  type Replica,
  sourceOf,
  startLab,
  unseenVerbs,
  until,
} from "./lab.ts";
import { clusterctl } from "./servers.ts";

const NAMESPACES = ["team-a", "team-b"];
/** The CRDs of Cluster API that an IPAM provider needs. */
const CRDS = [
  "ipam.cluster.x-k8s.io_ipaddressclaims",
  "ipam.cluster.x-k8s.io_ipaddresses",
  "cluster.x-k8s.io_clusters",
];

interface Claim extends KubeObject {
  readonly metadata: KubeObject["metadata"] & { readonly finalizers?: readonly string[] };
  readonly status?: {
    readonly addressRef?: { readonly name: string };
    readonly conditions?: readonly { type: string; status: string; reason: string }[];
  };
}

interface Address extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly ownerReferences: readonly object[];
    readonly finalizers?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly address: string;
    readonly prefix: number;
    readonly gateway?: string;
    readonly claimRef: { readonly name: string };
  };
}

let lab: Lab;

/** Returns the CRDs of Cluster API with one version alone, as YAML. Its conversion webhook is not there. */
async function crdsOf(version: string): Promise<string> {
  const source = await sourceOf("cluster-api", "sigs.k8s.io/cluster-api");
  const files = CRDS.map((name) => join(source, "core/config/crd/bases", `${name}.yaml`));
  const crds = await Promise.all(files.map(async (file) => parse(await readFile(file, "utf8"))));
  for (const { metadata, spec } of crds) {
    // `clusterctl init` gives this label to all CRDs that it installs.
    metadata.labels = { "clusterctl.cluster.x-k8s.io": "" };
    spec.versions = spec.versions
      .filter(({ name }: { name: string }) => name === version)
      .map((one: object) => ({ ...one, served: true, storage: true }));
  }
  return crds.map((crd) => stringify(crd)).join("---\n");
}

describe.each(["v1beta2", "v1beta1"])("with Cluster API in %s", (version) => {
  const group = `/apis/ipam.cluster.x-k8s.io/${version}`;
  let first: Replica;
  const within = (namespace: string, resource: string) =>
    `${group}/namespaces/${namespace}/${resource}`;

  // Each version has a cluster of its own: kubectl remembers which versions there are.
  beforeAll(async () => {
    lab = await startLab();
    await applyCrds(lab.plane, [await crdsOf(version)]);
    await lab.install("--cluster-api", "--no-nodes");
    await lab.plane.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
    const machines = { cidr: "10.70.0.0/24", kind: "subnet", gateway: "10.70.0.1" };
    await lab.call("PUT", "/pools/machines", machines);
    for (const namespace of NAMESPACES) {
      await lab.plane.kubectl(["create", "namespace", namespace]);
      await putPool(namespace, "machines");
    }
    first = await lab.start();
  });

  afterAll(() => lab?.stop());

  const putPool = (namespace: string, pool: string, name = pool) =>
    lab.plane.kubectl(
      ["apply", "-f", "-"],
      stringify({
        apiVersion: "ipam.plat/v1alpha1",
        kind: "PlatIPPool",
        metadata: { name, namespace },
        spec: { pool },
      }),
    );

  const claim = (namespace: string, name: string, more: object = {}) =>
    lab.plane.admin.send({
      method: "POST",
      path: within(namespace, "ipaddressclaims"),
      body: {
        apiVersion: `ipam.cluster.x-k8s.io/${version}`,
        kind: "IPAddressClaim",
        metadata: { name, namespace },
        spec: {
          poolRef: { apiGroup: "ipam.plat", kind: "PlatIPPool", name: "machines" },
          ...more,
        },
      },
    });

  const cluster = (name: string, paused: boolean) =>
    lab.plane.kubectl(
      ["apply", "-f", "-"],
      stringify({
        apiVersion: `cluster.x-k8s.io/${version}`,
        kind: "Cluster",
        metadata: { name, namespace: "team-a" },
        spec: {
          paused,
          controlPlaneEndpoint: { host: "control-plane.example", port: 6443 },
          infrastructureRef:
            version === "v1beta2"
              ? { apiGroup: "infrastructure.example", kind: "Fake", name }
              : { apiVersion: "infrastructure.example/v1", kind: "Fake", name },
        },
      }),
    );

  const list = async <T>(resource: string) =>
    (await lab.plane.admin.send<{ items: readonly T[] }>({ path: `${group}/${resource}` })).items;
  const addresses = () => list<Address>("ipaddresses");
  const readClaim = (namespace: string, name: string) =>
    lab.plane.admin.send<Claim>({ path: `${within(namespace, "ipaddressclaims")}/${name}` });
  const readAddress = (namespace: string, name: string) =>
    lab.plane.admin.send<Address>({ path: `${within(namespace, "ipaddresses")}/${name}` });
  const remove = (namespace: string, ...names: readonly string[]) =>
    lab.plane.kubectl(["delete", "ipaddressclaim", "-n", namespace, ...names, "--timeout=60s"]);
  const served = (namespace: string, name: string) =>
    until(
      () => readClaim(namespace, name),
      ({ status }) => status?.addressRef?.name === name,
    );
  const handles = async () => {
    const { handles } = (await lab.call("GET", "/handles?limit=1000")) as {
      readonly handles: readonly { readonly handle: string }[];
    };
    return handles.map(({ handle }) => handle);
  };

  it("each claim has an IPAddress of its own, with its network and its owners, until it is deleted", async () => {
    const names = Array.from({ length: 20 }, (_, n) => `machine-${n}`);
    for (const namespace of NAMESPACES) for (const name of names) await claim(namespace, name);
    for (const namespace of NAMESPACES) for (const name of names) await served(namespace, name);
    const given = await addresses();
    expect(new Set(given.map(({ spec }) => spec.address)).size).toBe(40);
    const [first] = given;
    expect(first?.spec).toMatchObject({ prefix: 24, gateway: "10.70.0.1" });
    expect(first?.metadata.ownerReferences).toMatchObject([
      { kind: "IPAddressClaim", controller: true, blockOwnerDeletion: true },
      { kind: "PlatIPPool", controller: false, blockOwnerDeletion: true },
    ]);
    expect([...(await handles())].sort()).toEqual(
      given.map(({ metadata }) => `capi/${metadata.namespace}/${metadata.name}`).sort(),
    );
    for (const namespace of NAMESPACES) await remove(namespace, ...names);
    expect(await addresses()).toEqual([]);
    expect(await handles()).toEqual([]);
  });

  it("a claim of a Cluster that is paused waits, and so does its end", async () => {
    await cluster("blue", true);
    await claim("team-a", "waiting", { clusterName: "blue" });
    // One that is served later shows that the first one was looked at.
    await claim("team-a", "other");
    await served("team-a", "other");
    const { metadata, status } = await readClaim("team-a", "waiting");
    expect([metadata.finalizers, status]).toEqual([undefined, undefined]);
    await cluster("blue", false);
    await served("team-a", "waiting");
    const { metadata: address } = await readAddress("team-a", "waiting");
    expect(address.labels).toMatchObject({ "cluster.x-k8s.io/cluster-name": "blue" });
    await cluster("blue", true);
    await lab.plane.kubectl([
      "delete",
      "ipaddressclaim",
      "-n",
      "team-a",
      "waiting",
      "--wait=false",
    ]);
    await remove("team-a", "other");
    expect(await handles()).toEqual(["capi/team-a/waiting"]);
    await cluster("blue", false);
    await until(handles, (each) => each.length === 0);
    await until(addresses, (each) => each.length === 0);
    await lab.plane.kubectl(["delete", "cluster", "-n", "team-a", "blue"]);
  });

  it("a claim that is moved keeps its address: the objects are new, and their status is gone", async () => {
    await cluster("green", false);
    await claim("team-a", "moved", { clusterName: "green" });
    await served("team-a", "moved");
    const before = await readAddress("team-a", "moved");
    const { metadata } = await readClaim("team-a", "moved");
    await cluster("green", true);
    // As `clusterctl move` does it: without finalizers, and with the spec and the owners alone.
    for (const [resource, name] of [
      ["ipaddresses", "moved"],
      ["ipaddressclaims", "moved"],
    ] as const) {
      const path = `${within("team-a", resource)}/${name}`;
      await lab.plane.admin.send({
        method: "PATCH",
        path,
        body: { metadata: { finalizers: null } },
      });
      await lab.plane.admin.send({ method: "DELETE", path });
    }
    await claim("team-a", "moved", { clusterName: "green" });
    const { metadata: again } = await readClaim("team-a", "moved");
    expect(again.uid).not.toBe(metadata.uid);
    const ownerReferences = before.metadata.ownerReferences.map((owner) =>
      "controller" in owner && owner.controller ? { ...owner, uid: again.uid } : owner,
    );
    const { uid: _, resourceVersion: __, finalizers: ___, ...rest } = before.metadata;
    await lab.plane.admin.send({
      method: "POST",
      path: within("team-a", "ipaddresses"),
      body: { ...before, metadata: { ...rest, ownerReferences } },
    });
    await cluster("green", false);
    await served("team-a", "moved");
    const after = await until(
      () => readAddress("team-a", "moved"),
      ({ metadata }) => metadata.finalizers !== undefined,
    );
    expect(after.spec).toEqual(before.spec);
    expect(await handles()).toEqual(["capi/team-a/moved"]);
    await remove("team-a", "moved");
    await until(handles, (each) => each.length === 0);
    await lab.plane.kubectl(["delete", "cluster", "-n", "team-a", "green"]);
  });

  it("two that act at once give each claim one address", async () => {
    await lab.plane.kubectl(["create", "namespace", "other"]);
    const role = ["create", "rolebinding", "plat-controller", "-n=other"];
    await lab.plane.kubectl([
      ...role,
      "--clusterrole=cluster-admin",
      "--serviceaccount=plat-system:plat-controller",
    ]);
    const second = await lab.start({ namespace: "other" });
    await until(
      () => probe(second, "/metrics"),
      (page) => page.includes("plat_controller_leader 1"),
    );
    const names = Array.from({ length: 30 }, (_, n) => `twice-${n}`);
    for (const name of names) await claim("team-b", name);
    for (const name of names) await served("team-b", name);
    const held = await handles();
    expect(held).toHaveLength(30);
    for (const { spec, metadata } of await addresses()) {
      const { addresses } = (await lab.call(
        "GET",
        `/handles/${encodeURIComponent(`capi/team-b/${metadata.name}`)}`,
      )) as { addresses: readonly { address: string }[] };
      expect(addresses.map(({ address }) => address)).toEqual([spec.address]);
    }
    await remove("team-b", ...names);
    await until(handles, (each) => each.length === 0);
    await second.end();
  });

  it("a claim of a pool that cannot serve it says why", async () => {
    await expect(putPool("team-a", "machines#1", "unnamed")).rejects.toThrow("spec.pool");
    await lab.call("PUT", "/pools/bare", { cidr: "10.71.0.0/24" });
    await putPool("team-a", "bare");
    await claim("team-a", "unserved", {
      poolRef: { apiGroup: "ipam.plat", kind: "PlatIPPool", name: "bare" },
    });
    const { status } = await until(
      () => readClaim("team-a", "unserved"),
      (seen) => seen.status?.conditions !== undefined,
    );
    expect(status?.conditions).toMatchObject([
      { type: "Ready", status: "False", reason: "PoolNotReady" },
    ]);
    expect(await lab.plane.kubectl(["get", "platippool", "-n", "team-a", "bare"])).toMatch(
      /bare +bare +False/,
    );
    await remove("team-a", "unserved");
  });

  it("the manifest has exactly the rights that claims need: each verb that is missing shows in /readyz", async () => {
    await first.end();
    expect(await unseenVerbs(lab, await lab.install("--cluster-api", "--no-nodes"))).toEqual([]);
  });
});

it("clusterctl reads the provider from a local repository, and makes of it what the manifest is", async () => {
  lab = await startLab();
  try {
    const folder = await mkdtemp(join(tmpdir(), "plat-provider-"));
    const image = "registry.example/plat-controller:1";
    const env = {
      ...lab.terminal,
      ...{ PLAT_ENDPOINT: "https://plat.example", PLAT_SPACE: "machines" },
      ...{ CLUSTERCTL_DISABLE_VERSIONCHECK: "true", XDG_CONFIG_HOME: folder },
    };
    const run = async (command: string, args: readonly string[]) => {
      const ran = await printedBy(spawn(command, args, { env }));
      expect(ran.code, ran.text).toBe(0);
      return ran.text;
    };
    const shell = (command: string) => run("sh", ["-e", "-c", command]);
    const written = await shell(
      `plat-controller components --directory ${folder} --image ${image}`,
    );
    const [url] = written.split("\n");
    const providers = [{ name: "plat", type: "IPAMProvider", url: `file://${url}` }];
    const config = join(folder, "clusterctl.yaml");
    await writeFile(config, stringify({ providers }));
    const asked = ["generate", "provider", "--ipam", "plat", "--config", config];
    const generated = await run(await clusterctl(), asked);

    const printed = await shell(
      'plat-controller manifest --endpoint "$PLAT_ENDPOINT" --space "$PLAT_SPACE" --cluster-api --no-nodes --image ' +
        image,
    );
    // clusterctl adds labels, and has an order of its own. It puts the variables in after the digest was made.
    const digest = /checksum\/config: [0-9a-f]{64}\n/;
    for (const text of [generated, printed]) expect(text).toMatch(digest);
    expect(sorted(generated.replace(digest, "\n"))).toMatchObject(
      sorted(printed.replace(digest, "\n")),
    );
    await lab.plane.kubectl(["apply", "--server-side", "-f", "-"], generated);
  } finally {
    await lab.stop();
  }
});

it("clusterctl moves a cluster between two management clusters, and its claims keep their addresses", async () => {
  const version = "v1beta2";
  lab = await startLab();
  const target = await startLab(lab);
  try {
    const labs = [lab, target];
    for (const each of labs) {
      const { kubectl } = each.plane;
      await applyCrds(each.plane, [await crdsOf(version)]);
      await kubectl(["create", "namespace", "team-a"]);
      await each.install("--cluster-api", "--no-nodes");
      await kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
    }
    await lab.call("PUT", "/pools/machines", { cidr: "10.70.0.0/24", kind: "subnet" });
    const clusterName = { "cluster.x-k8s.io/cluster-name": "blue" };
    const poolRef = { apiGroup: "ipam.plat", kind: "PlatIPPool", name: "machines" };
    const create = (object: object) => lab.plane.kubectl(["create", "-f", "-"], stringify(object));
    await create({
      apiVersion: `cluster.x-k8s.io/${version}`,
      kind: "Cluster",
      metadata: { name: "blue", namespace: "team-a" },
      spec: {
        controlPlaneEndpoint: { host: "control-plane.example", port: 6443 },
        infrastructureRef: { apiGroup: "infrastructure.example", kind: "Fake", name: "blue" },
      },
    });
    const path = `/apis/cluster.x-k8s.io/${version}/namespaces/team-a/clusters/blue`;
    const { metadata } = await lab.plane.admin.send<KubeObject>({ path });
    // A move waits for a cluster that is not provisioned yet.
    const lastTransitionTime = "2026-03-11T08:12:45Z";
    const initialized = { type: "ControlPlaneInitialized", status: "True", lastTransitionTime };
    await lab.plane.admin.send({
      method: "PATCH",
      path: `${path}/status`,
      body: {
        status: {
          initialization: { infrastructureProvisioned: true },
          conditions: [{ ...initialized, reason: "Initialized", message: "" }],
        },
      },
    });
    const owner = { apiVersion: `cluster.x-k8s.io/${version}`, kind: "Cluster", name: "blue" };
    const ownerReferences = [{ ...owner, uid: metadata.uid }];
    await create({
      apiVersion: "ipam.plat/v1alpha1",
      kind: "PlatIPPool",
      metadata: { name: "machines", namespace: "team-a", labels: clusterName, ownerReferences },
      spec: { pool: "machines" },
    });
    const names = Array.from({ length: 10 }, (_, n) => `machine-${n}`);
    for (const name of names)
      await create({
        apiVersion: `ipam.cluster.x-k8s.io/${version}`,
        kind: "IPAddressClaim",
        metadata: { name, namespace: "team-a", labels: clusterName, ownerReferences },
        spec: { poolRef, clusterName: "blue" },
      });
    const source = await lab.start();
    // kubectl asks again while the server makes the storage of a new kind ready.
    const listed = async <T>({ plane }: Lab, kind: string): Promise<readonly T[]> => {
      const resource = `${kind}.${version}.ipam.cluster.x-k8s.io`;
      return JSON.parse(await plane.kubectl(["get", resource, "-n", "team-a", "-o", "json"])).items;
    };
    const given = async (of: Lab) => {
      const claims = await listed<Claim>(of, "ipaddressclaims");
      const items = await listed<Address>(of, "ipaddresses");
      const served = claims.filter(({ status }) => status?.addressRef);
      return Object.fromEntries(
        served.map(({ metadata: { name } }) => [
          name,
          items.find((each) => each.metadata.name === name)?.spec.address,
        ]),
      );
    };
    const before = await until(
      () => given(lab),
      (all) => Object.keys(all).length === names.length,
    );
    const moving = spawn(
      await clusterctl(),
      [
        ...["move", "--kubeconfig", lab.plane.kubeconfig],
        ...["--to-kubeconfig", target.plane.kubeconfig, "--namespace", "team-a"],
      ],
      { env: { ...lab.terminal, CLUSTERCTL_DISABLE_VERSIONCHECK: "true" } },
    );
    const { code, text } = await printedBy(moving);
    expect(code, text).toBe(0);
    await target.start();
    const after = await until(
      () => given(target),
      (all) => Object.keys(all).length === names.length,
    );
    expect(after).toEqual(before);
    expect(await given(lab)).toEqual({});
    const { handles } = (await lab.call("GET", "/handles")) as {
      readonly handles: readonly { readonly addresses: number }[];
    };
    expect(handles).toHaveLength(names.length);
    await source.end();
  } finally {
    await target.stop();
    await lab.stop();
  }
});

/** Returns the objects of a manifest by their kinds and names. */
const sorted = (yaml: string): readonly Manifest[] => {
  const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.namespace} ${metadata.name}`;
  return parseAllDocuments(yaml)
    .map((document) => document.toJS() as Manifest)
    .sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
};
