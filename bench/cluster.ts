import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { inParallel } from "../src/kernel/core/parallel.ts";
import { type Lab, probe, type Replica, startLab, until } from "../test/cluster/lab.ts";

/**
 * `npm run bench:cluster`: what a large cluster costs the controller. Its Nodes are on a real kube-apiserver, each with as
 * many images as a node of a cloud has, and Plat runs beside it in memory. It prints the most memory that the controller
 * had, and its requests to Plat. Times depend on the machine, and are not printed.
 */

const { values } = parseArgs({ options: { nodes: { type: "string", default: "5000" } } });
const NODES = Number(values.nodes);
/** The changes of each kind, one after another. */
const CHANGES = 5;
const CREATES_AT_ONCE = 8;
const IMAGES = 50;
/** The looks, a tenth of a second apart, at a replica that says nothing more. They are longer than its gauges are old. */
const STILL_LOOKS = 120;

/** A Node of about 11 KB. */
const nodeBody = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    labels: { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "a" },
  },
  spec,
  status: {
    conditions: ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
      type,
      status: type === "Ready" ? "True" : "False",
      reason: "KubeletSaysSo",
      message: "kubelet is posting ready status",
      lastHeartbeatTime: "2026-03-11T08:12:45Z",
      lastTransitionTime: "2026-03-11T08:12:45Z",
    })),
    images: Array.from({ length: IMAGES }, (_, at) => ({
      names: [
        `registry.example/team-${at}/service@sha256:${String(at).padStart(64, "0")}`,
        `registry.example/team-${at}/service:1.${at}.0`,
      ],
      sizeBytes: 100_000_000 + at,
    })),
  },
});

const put = (lab: Lab, name: string) =>
  lab.plane.admin.send({ method: "POST", path: "/api/v1/nodes", body: nodeBody(name) });

/** Returns the sum of a metric of a replica over its labels. */
async function metric(replica: Replica, name: string): Promise<number | undefined> {
  const found = [...(await probe(replica, "/metrics")).matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm)];
  const own = found.filter(([, each]) => each === name).map(([, , value]) => Number(value));
  return own.length === 0 ? undefined : own.reduce((sum, value) => sum + value, 0);
}

const calls = async (replica: Replica) =>
  (await metric(replica, "plat_controller_plat_requests_total")) ?? 0;

/** Waits until a replica has nothing more to say. Its gauges are up to ten seconds old. */
async function settled(replica: Replica): Promise<void> {
  let [before, still] = [-1, 0];
  await until(
    async () => {
      const now = await calls(replica);
      const isIdle =
        (await metric(replica, "plat_controller_queue_depth")) === 0 &&
        (await metric(replica, "plat_controller_nodes_without_cidr")) === 0;
      still = isIdle && now === before ? still + 1 : 0;
      before = now;
      return still;
    },
    (seen) => seen > STILL_LOOKS,
    Infinity,
  );
}

/** Returns the most memory that a process has had, in MiB. */
async function memoryMiB({ process: { pid } }: Replica): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

const lab = await startLab();
try {
  await lab.install();
  await lab.call("PUT", "/pools/more", {
    cidr: "10.128.0.0/10",
    assign: "prefixes",
    blockSize: 24,
  });
  const names = Array.from({ length: NODES }, (_, at) => `n${at}`);
  await inParallel(names, CREATES_AT_ONCE, (name) => put(lab, name));

  const first = await lab.start();
  await settled(first);
  const [asked, firstMiB] = [await calls(first), await memoryMiB(first)];
  console.log(`${NODES} new Nodes got their ranges: ${asked} requests, ${firstMiB} MiB`);
  await first.end();

  const second = await lab.start();
  await settled(second);
  const [again, secondMiB] = [await calls(second), await memoryMiB(second)];
  console.log(`a replica that starts beside them: ${again} requests, ${secondMiB} MiB`);

  const kinds: Readonly<Record<string, (at: number) => Promise<unknown>>> = {
    "a new Node": (at) => put(lab, `n${NODES + at}`),
    "a changed label": (at) =>
      lab.plane.admin.send({
        method: "PATCH",
        path: `/api/v1/nodes/n${at}`,
        body: { metadata: { labels: { changed: "true" } } },
      }),
    "a deleted Node": (at) => lab.deleteNode(`n${at}`),
  };
  for (const [kind, act] of Object.entries(kinds)) {
    const before = await calls(second);
    for (let at = 0; at < CHANGES; at++) {
      await act(at);
      await settled(second);
    }
    // A complete list each five minutes may be among them.
    console.log(`${kind}: ${((await calls(second)) - before) / CHANGES} requests`);
  }
  console.log(`at the end: ${await memoryMiB(second)} MiB`);
} finally {
  await lab.stop();
}
