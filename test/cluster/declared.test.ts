import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { applyCrds, type Lab, sourceOf, startLab, unseenVerbs, until } from "./lab.ts";

let lab: Lab;
let endReplica = async (): Promise<unknown> => undefined;

beforeAll(async () => {
  lab = await startLab();
  const calico = await sourceOf("calico", "github.com/projectcalico/calico");
  const spiderpool = await sourceOf("spiderpool", "github.com/spidernet-io/spiderpool");
  const calicos = join(calico, "libcalico-go/config/crd/crd.projectcalico.org_");
  const spiders = join(spiderpool, "charts/spiderpool/crds/spiderpool.spidernet.io_");
  const files = [
    ...["ippools", "ipreservations"].map((name) => `${calicos}${name}.yaml`),
    ...["spiderippools", "spidersubnets", "spiderreservedips"].map(
      (name) => `${spiders}${name}.yaml`,
    ),
  ];
  await applyCrds(lab.plane, await Promise.all(files.map((file) => readFile(file, "utf8"))));
});

afterAll(() => lab?.stop());

beforeEach(() => endReplica());

async function start(...options: readonly string[]): Promise<void> {
  await lab.install("--no-nodes", ...options);
  const { end } = await lab.start();
  endReplica = () => end();
}

const apply = (apiVersion: string, kind: string, name: string, spec: object, more: object = {}) =>
  lab.plane.kubectl(
    ["apply", "-f", "-"],
    JSON.stringify({ apiVersion, kind, metadata: { name, ...more }, spec }),
  );

const remove = (resource: string, name: string) =>
  lab.plane.kubectl(["delete", resource, name, "--wait=false"]);

type Current = Readonly<Record<string, unknown>>;

/** Returns the pools, or the reservations, of the space by their names. */
async function current(plural: "pools" | "reservations") {
  const listed = (await lab.call("GET", `/${plural}`)) as Readonly<
    Record<string, readonly (Current & { readonly name: string })[]>
  >;
  return new Map((listed[plural] ?? []).map((each) => [each.name, each]));
}

/** Waits until a pool is what a test wants, or is not there. */
const poolIs = (name: string, isIt: (pool: Current | undefined) => boolean) =>
  until(async () => (await current("pools")).get(name), isIt);

/** Returns the reasons of the Events about an object. */
async function reasonsOf(name: string): Promise<readonly string[]> {
  const { items } = await lab.plane.admin.send<{
    items: readonly { reason: string; involvedObject: { name: string } }[];
  }>({ path: "/api/v1/namespaces/default/events" });
  return items.filter((each) => each.involvedObject.name === name).map(({ reason }) => reason);
}

const CALICO = "crd.projectcalico.org/v1";
const SPIDERPOOL = "spiderpool.spidernet.io/v2beta1";

it("pools and reservations follow Calico's manifests, and leave what others made", async () => {
  await apply(CALICO, "IPPool", "web", { cidr: "10.81.0.0/16", blockSize: 26, natOutgoing: true });
  await apply(CALICO, "IPReservation", "gateways", { reservedCIDRs: ["10.81.0.0/30"] });
  await start("--calico");
  const web = await poolIs("web", (pool) => pool !== undefined);
  expect(web).toMatchObject({ cidr: "10.81.0.0/16", blockSize: 26, disabled: false });
  await until(
    () => current("reservations"),
    (seen) => seen.has("gateways"),
  );
  // A pool of the name of a manifest, which somebody made by hand.
  await lab.call("PUT", "/pools/mine", { cidr: "10.82.0.0/16" });
  await apply(CALICO, "IPPool", "mine", { cidr: "10.82.0.0/16", disabled: true });
  await until(
    () => reasonsOf("mine"),
    (reasons) => reasons.includes("PoolNotOwned"),
  );
  await apply(CALICO, "IPPool", "nested", { cidr: "10.81.4.0/24" });
  await until(
    () => reasonsOf("nested"),
    (reasons) => reasons.includes("PoolRejected"),
  );
  await lab.call("POST", "/assign", { handle: "kept", host: "n1", ipv4: 1, pools: ["web"] });
  await remove("ippools.crd.projectcalico.org", "web");
  await remove("ipreservations.crd.projectcalico.org", "gateways");
  await poolIs("web", (pool) => pool?.disabled === true);
  await until(
    () => current("reservations"),
    (seen) => !seen.has("gateways"),
  );
  expect((await current("pools")).get("mine")).toMatchObject({ disabled: false });
  const held = await lab.call("GET", "/handles/kept");
  expect(held).toMatchObject({ addresses: [{ pool: "web" }] });
  await remove("ippools.crd.projectcalico.org", "mine");
  await remove("ippools.crd.projectcalico.org", "nested");
});

it("a pool whose manifest went while no replica ran is deleted once it is empty, with --delete-pools", async () => {
  await apply(CALICO, "IPPool", "brief", { cidr: "10.83.0.0/16" });
  await start("--calico", "--delete-pools");
  await poolIs("brief", (pool) => pool !== undefined);
  await endReplica();
  await remove("ippools.crd.projectcalico.org", "brief");
  const { end } = await lab.start();
  endReplica = () => end();
  await poolIs("brief", (pool) => pool === undefined || pool.state === "deleting");
});

it("pools follow Spiderpool's manifests, but for those that Spiderpool made", async () => {
  const subnet = "10.84.0.0/24";
  await apply(SPIDERPOOL, "SpiderSubnet", "net", { subnet, ips: ["10.84.0.10-10.84.0.90"] });
  await apply(SPIDERPOOL, "SpiderIPPool", "red", {
    ...{ subnet, ips: ["10.84.0.20-10.84.0.30"], gateway: "10.84.0.1", default: true },
    namespaceAffinity: { matchLabels: { team: "a" } },
  });
  const labels = {
    "ipam.spidernet.io/owner-application-kind": "Deployment",
    "ipam.spidernet.io/owner-application-namespace": "shop",
    "ipam.spidernet.io/owner-application-name": "web",
  };
  const made = { subnet, ips: ["10.84.0.40"] };
  await apply(SPIDERPOOL, "SpiderIPPool", "auto4-web-eth0-9a2b3", made, { labels });
  await apply(SPIDERPOOL, "SpiderReservedIP", "kept", { ips: ["10.84.0.21"] });
  await start("--spiderpool");
  const red = await poolIs("red", (pool) => pool !== undefined);
  expect(red).toMatchObject({
    ranges: ["10.84.0.20-10.84.0.30"],
    gateway: "10.84.0.1",
    assignmentMode: "Automatic",
    namespaceSelector: 'team == "a"',
  });
  const net = await poolIs("net", (pool) => pool !== undefined);
  expect(net).toMatchObject({ assignmentMode: "Applications" });
  await until(
    () => current("reservations"),
    (seen) => seen.has("kept"),
  );
  expect([...(await current("pools")).keys()].sort()).toEqual(["net", "pods", "red"]);
});

it("namespaces are registered with their labels and default pools, until their end", async () => {
  await start("--namespaces");
  await lab.plane.kubectl(["create", "namespace", "team-a"]);
  await lab.plane.kubectl(["label", "namespace", "team-a", "team=a"]);
  const annotation = 'ipam.spidernet.io/default-ipv4-ippool=["red"]';
  await lab.plane.kubectl(["annotate", "namespace", "team-a", annotation]);
  const registered = () => lab.call("GET", "/namespaces/team-a").catch(() => undefined);
  await until(registered, (seen) => JSON.stringify(seen).includes('"ipv4DefaultPools":["red"]'));
  expect(await registered()).toMatchObject({ labels: { team: "a" } });
  await remove("namespace", "team-a");
  // Nobody else lets a namespace go, because no controller of Kubernetes runs here.
  const path = "/api/v1/namespaces/team-a/finalize";
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" }, spec: {} };
  await lab.plane.admin.send({ method: "PUT", path, body });
  await until(registered, (seen) => seen === undefined);
});

it("applications follow the controllers of pods, with the addresses that their annotations say", async () => {
  await start("--applications");
  const ranges = ["10.87.0.10-10.87.0.60"];
  await lab.call("PUT", "/pools/net", {
    ...{ cidr: "10.87.0.0/24", ranges, assignmentMode: "Applications" },
  });
  const annotations = { "ipam.spidernet.io/subnet": '{"ipv4":["net"]}' };
  const labels = { app: "web" };
  const containers = [{ name: "main", image: "example/main" }];
  const template = { metadata: { labels, annotations }, spec: { containers } };
  const selector = { matchLabels: labels };
  const plain = { ...template, metadata: { labels } };
  const within = { namespace: "default" };
  await apply("apps/v1", "Deployment", "web", { replicas: 3, selector, template }, within);
  await apply("apps/v1", "Deployment", "plain", { selector, template: plain }, within);
  const set = { replicas: 2, selector, template: plain, serviceName: "db" };
  await apply("apps/v1", "StatefulSet", "db", set, within);
  await apply("apps/v1", "DaemonSet", "log", { selector, template }, within);
  const job = { ...template, spec: { containers, restartPolicy: "Never" } };
  const jobTemplate = { spec: { parallelism: 2, completions: 2, template: job } };
  await apply("batch/v1", "CronJob", "night", { schedule: "0 0 * * *", jobTemplate }, within);
  const held = async () => {
    const { applications } = (await lab.call("GET", "/applications")) as {
      applications: readonly {
        kind: string;
        name: string;
        complete: boolean;
        members: readonly unknown[];
      }[];
    };
    return Object.fromEntries(
      applications
        .filter(({ complete }) => complete)
        .map(({ kind, name, members }) => [`${kind}/${name}`, members.length]),
    );
  };
  const first = await until(held, (seen) => Object.keys(seen).length === 4);
  const others = { "StatefulSet/db": 0, "DaemonSet/log": 1, "CronJob/night": 3 };
  expect(first).toEqual({ "Deployment/web": 4, ...others });
  await lab.plane.kubectl(["scale", "deployment", "web", "--replicas=1"]);
  await until(held, (seen) => seen["Deployment/web"] === 2);
  await remove("deployment", "web");
  await until(held, (seen) => !("Deployment/web" in seen));
});

it.each([
  ["pools from manifests need", ["--calico", "--spiderpool"]],
  ["namespaces and applications need", ["--namespaces", "--applications"]],
])("the manifest has exactly the rights that %s", async (_, switches) => {
  const objects = await lab.install("--no-nodes", ...switches);
  expect(await unseenVerbs(lab, objects)).toEqual([]);
});

it("Calico's manifests are read in projectcalico.org/v3 where the API server has it", async () => {
  const calico = await sourceOf("calico", "github.com/projectcalico/calico");
  const own = await Promise.all(
    ["ippools", "ipreservations"].map(async (name) => {
      const file = join(calico, `libcalico-go/config/crd/crd.projectcalico.org_${name}.yaml`);
      const crd = parse(await readFile(file, "utf8"));
      crd.metadata.name = `${name}.projectcalico.org`;
      crd.spec.group = "projectcalico.org";
      crd.spec.versions[0].name = "v3";
      return stringify(crd);
    }),
  );
  await applyCrds(lab.plane, own);
  await apply("projectcalico.org/v3", "IPPool", "third", { cidr: "10.85.0.0/16" });
  await apply(CALICO, "IPPool", "first", { cidr: "10.86.0.0/16" });
  await start("--calico");
  await poolIs("third", (pool) => pool !== undefined);
  expect((await current("pools")).has("first")).toBe(false);
});
