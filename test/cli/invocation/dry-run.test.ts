import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { programFor } from "../../../src/cli/program.ts";
import type { Io } from "../../../src/cli/shell/io.ts";
import { checkTable } from "../../../src/nouns/contents/operations/check-table.ts";
import { DRY_RUN, terminal } from "../terminal.ts";

const { platWith, server } = terminal();
/** A dry run changes nothing, so that all of them share a space. */
const env = { PLAT_SPACE: "here" };
const plat = (line: string, stdin = "") => platWith({ env, stdin }, ...line.split(" "));

const APPLICATION = {
  ...{ namespace: "shop", kind: "Deployment", name: "web", replicas: 1 },
  addresses: { pools: ["applications"] },
};
const plain = (plural: string, item: object): string => JSON.stringify({ [plural]: [item] });
const [CALICO, CSV, NETBOX, PHPIPAM, SPIDERPOOL, WHEREABOUTS] = [
  '{"apiVersion":"projectcalico.org/v3","kind":"IPPool","metadata":{"name":"new"},"spec":{"cidr":"10.8.0.0/24"}}',
  "address,handle,host,attributes\n10.0.0.9,vm,rack,\n",
  '{"count":1,"next":null,"results":[{"id":1,"address":"10.0.0.9/24","vrf":null,"status":{"value":"active"},"assigned_object":null}]}',
  "ip_addr;hostname\n10.0.0.9;web\n",
  '{"apiVersion":"spiderpool.spidernet.io/v2beta1","kind":"SpiderIPPool","metadata":{"name":"new"},"spec":{"subnet":"10.8.0.0/24","ips":["10.8.0.9"]}}',
  '{"apiVersion":"whereabouts.cni.cncf.io/v1alpha1","kind":"IPPool","metadata":{"name":"a"},"spec":{"range":"10.0.0.0/24","allocations":{"9":{"podref":"shop/web"}}}}',
];
/** A folder as host-local has it, with an address. */
const NETWORK_FOLDER = mkdtempSync(join(tmpdir(), "plat-networks-"));
writeFileSync(join(NETWORK_FOLDER, "10.0.0.9"), "c0ffee\r\neth0");

/** A line of each command that has a dry run, and what it reads on stdin. */
const LINES: Readonly<Record<string, readonly [line: string, stdin?: string]>> = {
  "affinity release": ["--all --host n1"],
  "application apply": ["-f -", plain("applications", APPLICATION)],
  "application delete": ["shop/Deployment/api"],
  assign: ["--host n1 --ipv4 1 --handle more"],
  configure: ["--cooldown-seconds 7"],
  "import calico": ["-f -", CALICO],
  "import csv": ["-f -", CSV],
  "import host-local": [`-f ${NETWORK_FOLDER} --host n1`],
  "import netbox": ["-f -", NETBOX],
  "import phpipam": ["-f -", PHPIPAM],
  "import spiderpool": ["-f -", SPIDERPOOL],
  "import whereabouts": ["-f -", WHEREABOUTS],
  "namespace apply": ["-f -", plain("namespaces", { name: "red", labels: { a: "b" } })],
  "namespace delete": ["shop"],
  "node apply": ["-f -", plain("nodes", { name: "n2", labels: {} })],
  "node cidr release": ["n1 --uid u1"],
  "node delete": ["n1 --release"],
  "pool apply": ["-f -", plain("pools", { name: "new", cidr: "10.8.0.0/24" })],
  "pool create": ["new --cidr 10.8.0.0/24 --dns 10.8.0.1"],
  "pool delete": ["going"],
  "pool drain": ["draining"],
  "pool enable": ["draining"],
  "pool release-affinities": ["main"],
  "prefix assign": ["p2 --family 4"],
  "prefix release": ["p1"],
  "quota apply": ["-f -", plain("quotas", { name: "new", addresses: 7 })],
  "quota create": ["new --addresses 7"],
  "quota delete": ["all"],
  release: ["--handle web"],
  "reservation apply": ["-f -", plain("reservations", { name: "new", cidrs: ["10.0.0.7"] })],
  "reservation create": ["new --cidr 10.0.0.0/24 --reason routers"],
  "reservation delete": ["routers"],
  "space delete": ["gone"],
  split: ["2 empty"],
};

/** The commands that write and have no dry run, because the API has none for them. */
const WITHOUT = [
  "address conflict",
  "address lift",
  "affinity claim",
  "affinity ensure",
  "batch",
  "collect",
  "event send",
  "node cidr ensure",
  "node cilium apply",
  "node cilium release",
];
/** The commands that write nothing to a table that is in use. */
const READING =
  /^((address|affinity|alarm|application|block|handle|host|job|namespace|node|node cidr|node cilium|pool|prefix|quota|reservation|space|zone) get|check|complete|completion|config \w+|demo|export \w+|history|init|login|pool history|quota usage|serve|show|trace|version)$/;

/** Returns the commands that do something, by their words. */
const leavesOf = (command: Command, path = ""): (readonly [string, Command])[] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`.trim()));

const COMMANDS = leavesOf(programFor({ terminal: {} } as Partial<Io> as Io));
const takes = (command: Command, option: string) =>
  command.options.some(({ long }) => long === option);
const isPrinting = (path: string) =>
  COMMANDS.some(([name, command]) => name === path && takes(command, "--output"));

beforeAll(async () => {
  for (const line of [
    "pool create main --cidr 10.0.0.0/24",
    "pool create empty --cidr 10.1.0.0/24 --block-size 28",
    "pool create draining --cidr 10.2.0.0/24",
    "pool create going --cidr 10.3.0.0/24",
    "pool create prefixes --cidr 10.4.0.0/22 --assign prefixes",
    "pool create applications --cidr 10.5.0.0/24 --ranges 10.5.0.0/28 --assignment-mode Applications",
    "configure --cooldown-seconds 9 --space gone",
    "quota create all --addresses 900",
    "reservation create routers --cidr 10.0.0.1",
    "assign --host n1 --ipv4 2 --handle web --pool main",
    "prefix assign p1 --family 4 --pool prefixes",
    "node cidr ensure n1 --uid u1",
    "pool drain draining -y",
    "pool delete going -y",
    "pool release-affinities main -y",
    "space delete gone -y",
  ])
    expect(await plat(line)).toMatchObject({ exit: 0 });
  for (const [plural, item] of [
    ["applications", { ...APPLICATION, name: "api" }],
    ["namespaces", { name: "shop", labels: {} }],
    ["nodes", { name: "n1", labels: {} }],
  ] as const) {
    const applied = await plat(`${plural.slice(0, -1)} apply -f -`, plain(plural, item));
    expect(applied).toMatchObject({ exit: 0 });
  }
});

/** Returns the ids of all jobs. */
const jobs = async (): Promise<readonly string[]> => {
  const [here, gone] = [await plat("job get -o name"), await plat("job get -o name --space gone")];
  return `${here.out}${gone.out}`.trim().split("\n");
};

describe("a dry run of the command", () => {
  it("has a line here, but for those of a restored table and of deployed functions, and each other command that writes none in the API", () => {
    const isTrying = ([, command]: (typeof COMMANDS)[number]) => takes(command, "--dry-run");
    const trying = COMMANDS.filter(isTrying).map(([path]) => path);
    expect(trying.toSorted()).toEqual([...Object.keys(LINES), "restore", "rollback"].toSorted());
    const others = COMMANDS.filter((one) => !isTrying(one)).map(([path]) => path);
    expect(others.filter((path) => !READING.test(path)).toSorted()).toEqual(WITHOUT);
  });

  it.each(Object.entries(LINES))(
    "of `%s` says so first, names no job by its id, and writes nothing",
    async (path, [rest, stdin = ""]) => {
      const ids = await jobs();
      expect(ids).toHaveLength(4);
      const before = await checkTable(server().context);
      const line = `${path} ${rest} --dry-run`;
      const { exit, out, err } = await plat(line, stdin);
      expect({ exit, err }).toEqual({ exit: 0, err: expect.stringMatching(`^${DRY_RUN}`) });
      expect(err.split(DRY_RUN)).toHaveLength(2);
      // A line that says what a command has done says that a dry run has not.
      if (!isPrinting(path)) expect(out).toMatch(/^(.+ \(dry run\)\n|Would .+\n)+$/);
      const [json, names] = isPrinting(path)
        ? [await plat(`${line} -o json`, stdin), await plat(`${line} -o name`, stdin)]
        : [];
      if (json) expect(JSON.parse(json.out)).toMatchObject({ dryRun: true });
      const said = [out, err, json?.out, names?.out].join("");
      for (const id of ids) expect(said).not.toContain(id);
      expect(await checkTable(server().context)).toEqual(before);
    },
  );
});
