import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { chartFiles } from "../../src/controller/chart.ts";
import { COLLECT_MODES } from "../../src/controller/lost-pods.ts";
import {
  CONTRADICTIONS,
  consistent,
  type ManifestOptions,
  manifest,
} from "../../src/controller/manifest.ts";
import { NODE_MODES } from "../../src/controller/nodes.ts";
import { CILIUM_MODES } from "../../src/nouns/cilium/object.ts";
import { bundledProgram } from "../programs.ts";
import { type Manifest, printedBy } from "./lab.ts";
import { helm } from "./servers.ts";

const NAMESPACE = "plat-system";
const TEXTS = [
  { space: "", region: "", tokenSecret: "", agent: "" },
  { space: "cluster-7", region: "eu-west-1", tokenSecret: "", agent: '{"name": "podnet"}\n' },
  { space: "cluster-7", region: "", tokenSecret: "plat-token", agent: '{"name": "podnet"}\n' },
] as const;

const OPTIONS: ManifestOptions = {
  endpoint: "https://plat.example/prod",
  image: "r.example/p:1",
  namespace: NAMESPACE,
  nodes: "write",
  lifecycle: false,
  leases: false,
  cilium: "off",
  ciliumFamilies: "",
  ciliumReleaseAfterSeconds: "",
  ciliumWithdrawAfterSeconds: "",
  clusterApi: false,
  endPods: false,
  calico: false,
  spiderpool: false,
  namespaces: false,
  applications: false,
  collectPods: "off",
  deletePools: false,
  ...TEXTS[0],
};

/** Every combination of the switches about manifests. */
const DECLARING = [false, true]
  .flatMap((calico) => [false, true].map((spiderpool) => ({ calico, spiderpool })))
  .flatMap((each) => [false, true].map((deletePools) => ({ ...each, deletePools })))
  .flatMap((each) => [false, true].map((namespaces) => ({ ...each, namespaces })))
  .flatMap((each) => [false, true].map((applications) => ({ ...each, applications })));

/** Returns each way of a collection in turn. */
const collecting = (index: number) => {
  const modes = [...COLLECT_MODES, "off" as const];
  const turn = Math.floor(index / DECLARING.length) % modes.length;
  return { collectPods: modes[turn] ?? "off" };
};

/** Choices about CiliumNodes. A time of 0 is a choice too. */
const ABOUT_CILIUM: readonly Partial<ManifestOptions>[] = [
  { ciliumFamilies: "4,6", ciliumReleaseAfterSeconds: 180, ciliumWithdrawAfterSeconds: 3_600 },
  { ciliumReleaseAfterSeconds: 0 },
  { ciliumFamilies: "6", ciliumWithdrawAfterSeconds: 0 },
];

/** Every combination of the other switches, with other texts and each of those about manifests in turn. */
const COMBINATIONS: readonly ManifestOptions[] = [...NODE_MODES, "off" as const]
  .flatMap((nodes) => ["off" as const, ...CILIUM_MODES].map((cilium) => ({ nodes, cilium })))
  .flatMap((each) => [false, true].map((lifecycle) => ({ ...each, lifecycle })))
  .flatMap((each) => [false, true].map((leases) => ({ ...each, leases })))
  .flatMap((each) => [false, true].map((clusterApi) => ({ ...each, clusterApi })))
  .flatMap((each) => [false, true].map((endPods) => ({ ...each, endPods })))
  .flatMap((each, index) => [
    { ...OPTIONS, ...TEXTS[index % TEXTS.length], ...each },
    // The number has no factor of the other switches, so each of these meets each of those.
    { ...OPTIONS, ...each, ...DECLARING[index % (DECLARING.length - 1)], ...collecting(index) },
    { ...OPTIONS, ...each, ...DECLARING.at(-1) },
    ...(each.cilium === "off" || index % 5 > 0
      ? []
      : [{ ...OPTIONS, ...each, ...ABOUT_CILIUM[index % ABOUT_CILIUM.length] }]),
  ])
  .concat([{ ...OPTIONS, ...ABOUT_CILIUM[0] }]);

let program: string;
let folder: string;
let chart: string;

beforeAll(async () => {
  program = await helm();
  folder = await mkdtemp(join(tmpdir(), "plat-chart-"));
  const controller = await bundledProgram("src/controller/main.ts");
  const args = [controller, "chart", "--directory", folder];
  const { code, text } = await printedBy(spawn(process.execPath, args));
  expect(code, text).toBe(0);
  expect(text.trim().split("\n")).toEqual(
    Object.keys(chartFiles()).map((path) => join(folder, path)),
  );
  chart = join(folder, "plat-controller");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]) => printedBy(spawn(program, args));

/** Returns what Helm renders for some values, or the words in which it refuses them. */
async function rendered(
  values: object,
  namespace = NAMESPACE,
): Promise<readonly Manifest[] | string> {
  const file = join(folder, "values.json");
  await writeFile(file, JSON.stringify(values));
  const { code, text } = await run(
    ...["template", "release", chart, "--namespace", namespace, "--values", file],
  );
  return code === 0 ? objectsIn(text) : text;
}

/** Returns what Helm renders for each of some values. They are the parts of one chart, so that Helm starts once. */
async function renderedTogether(
  values: readonly ManifestOptions[],
): Promise<readonly (readonly Manifest[])[]> {
  const whole = join(folder, "whole");
  await mkdir(join(whole, "charts"), { recursive: true });
  await cp(chart, join(whole, "charts", "plat-controller"), { recursive: true });
  const { version } = parse(chartFiles()["plat-controller/Chart.yaml"] ?? "");
  const parts = values.map((_, index) => `part${index}`);
  const dependencies = parts.map((alias) => ({ name: "plat-controller", version, alias }));
  const about = { apiVersion: "v2", name: "whole", version: "1.0.0", dependencies };
  await writeFile(join(whole, "Chart.yaml"), JSON.stringify(about));
  const said = values.map(({ namespace: _, ...each }, index) => [parts[index], each]);
  await writeFile(join(whole, "values.yaml"), JSON.stringify(Object.fromEntries(said)));
  const { code, text } = await run("template", "release", whole, "--namespace", NAMESPACE);
  expect(code, text).toBe(0);
  const sources = text.split(/^---\n(?=# Source: )/m);
  return parts.map((part) => {
    const own = sources.filter((source) => source.startsWith(`# Source: whole/charts/${part}/`));
    return objectsIn(own.join("---\n"));
  });
}

/** Returns the objects of YAML, in an order of their own. */
const objectsIn = (yaml: string): readonly Manifest[] =>
  parseAllDocuments(yaml)
    .flatMap((document) => (document.toJS() as Manifest | null) ?? [])
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

const keyOf = ({ kind, metadata: { namespace, name } }: Manifest) => `${kind} ${namespace} ${name}`;

/** Returns the objects of the manifest with some choices, but for the namespace, or the words in which they are refused. */
function printed(options: ManifestOptions): readonly Manifest[] | string {
  try {
    return objectsIn(manifest(consistent(options))).filter(({ kind }) => kind !== "Namespace");
  } catch (error) {
    return (error as Error).message;
  }
}

it("Helm renders the chart to the manifest, with every combination of the switches", async () => {
  const allowed = COMBINATIONS.filter((options) => typeof printed(options) !== "string");
  expect(allowed.length).toBeGreaterThan(20);
  const seen = await renderedTogether(allowed);
  for (const [index, options] of allowed.entries())
    expect(seen[index], JSON.stringify(options)).toEqual(printed(options));
});

it.each(["default", "kube-node-lease"])(
  "Helm renders the chart to the manifest in the namespace %s",
  async (namespace) => {
    const { namespace: _, ...values } = { ...OPTIONS, leases: true };
    expect(await rendered(values, namespace)).toEqual(
      printed({ ...OPTIONS, leases: true, namespace }),
    );
  },
);

it("Helm refuses what the options of the manifest refuse", async () => {
  for (const { option, value } of CONTRADICTIONS) {
    const options = COMBINATIONS.find((each) => printed(each) === option);
    expect(options, option).toBeDefined();
    const { namespace: _, ...values } = options ?? OPTIONS;
    expect(await rendered(values)).toContain(value);
  }
});

it("Helm renders the chart without a value but the endpoint to the manifest of the command", async () => {
  const controller = await bundledProgram("src/controller/main.ts");
  const endpoint = "https://plat.example";
  const args = [controller, "manifest", "--endpoint", endpoint];
  const { text } = await printedBy(spawn(process.execPath, args));
  const expected = objectsIn(text).filter(({ kind }) => kind !== "Namespace");
  expect(await rendered({ endpoint })).toEqual(expected);
});

it("Helm refuses values that the chart does not have", async () => {
  const endpoint = "https://plat.example";
  expect(await rendered({})).toContain("endpoint");
  expect(await rendered({ endpoint, nodes: "both" })).toContain("nodes");
  expect(await rendered({ endpoint, clusterApi: "yes" })).toContain("clusterApi");
  expect(await rendered({ endpoint, replicas: 3 })).toContain("replicas");
  const ofCilium = { endpoint, cilium: "crd" };
  for (const name of ["ciliumReleaseAfterSeconds", "ciliumWithdrawAfterSeconds"])
    for (const value of [3_601, -1, 1.5, "3m"])
      expect(await rendered({ ...ofCilium, [name]: value })).toContain(name);
  expect(await rendered({ ...ofCilium, ciliumFamilies: "6,4" })).toContain("ciliumFamilies");
});

it("Helm finds nothing wrong with the chart", async () => {
  const { code, text } = await run(
    "lint",
    chart,
    "--strict",
    "--set",
    "endpoint=https://p.example",
  );
  expect(code, text).toBe(0);
});
