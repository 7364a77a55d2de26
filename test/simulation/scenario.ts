import { type Random, shuffled } from "../../src/kernel/values/fresh.ts";
import { type HostId, type HostReserved, hostId } from "../../src/kernel/values/host.ts";
import { BITS, type Parsed } from "../../src/net/address.ts";
import { type Cidr, parseCidr, parseInterval } from "../../src/net/cidr.ts";
import type { Labels } from "../../src/net/labels.ts";
import { parseSelector } from "../../src/net/selector-parser.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import type { Reservation } from "../../src/nouns/reservation/reservation.ts";
import { SETTINGS_DEFAULT, type Settings } from "../../src/nouns/settings/settings.ts";
import { STORMY, type Weather } from "./scheduler.ts";
import { namespaceNamed } from "./selection.ts";

/** The parameters of a run. Each part is drawn independently, so that all combinations occur. */
export interface Scenario {
  readonly pools: readonly (PoolSpec & { readonly name: string })[];
  readonly settings: Settings;
  readonly cooldownMs: number;
  readonly reserved: Pick<Reservation, "cidrs" | "intervals">;
  readonly hosts: readonly HostId[];
  readonly clients: readonly Client[];
  readonly weather: Weather;
  /**
   * The pools that administrators create, drain and delete. If they include serving pools, the
   * scenario has workers.
   */
  readonly fleeting: readonly string[];
  /** True if the administrators have the same plan at the same times. */
  readonly rivals: boolean;
  /** True if a client tidies up by what reads return. */
  readonly tidied: boolean;
  /** True if a day passes in the middle of the run. */
  readonly leaps: boolean;
  /**
   * The labels of the hosts and namespaces that are registered at the start; an operator changes
   * them later.
   */
  readonly labels: ReadonlyMap<string, Labels>;
  /** True if some pools have selectors. */
  readonly selects: boolean;
  /** True if there is another space, with its own clients. */
  readonly neighbour: boolean;
  /** True if there is a space without a pool at first, which gets one. */
  readonly founded: boolean;
  /** True if an operator claims blocks for hosts, releases them, and releases all addresses of a host. */
  readonly provisioned: boolean;
  /** The addresses that the first host reserves in every block that it claims, if any. */
  readonly hostReserved: HostReserved | undefined;
  /** True if addresses change owners. */
  readonly moving: boolean;
}

interface Client {
  readonly handle: string;
  readonly host: HostId;
  /** The limit of addresses of a family for limited requests, if there are any. */
  readonly limit: number | undefined;
}

export function drawScenario(random: Random): Scenario {
  const chance = (share: number) => random.fraction() < share;
  const below = (n: number) => Math.floor(random.fraction() * n);
  const pick = <T>(...choices: readonly T[]) => choices[below(choices.length)] as T;
  const cooldownSeconds = pick(20, 20, 5, 0);
  const spec = (cidr: string, blockSize: number, rest: Partial<PoolSpec> = {}) => ({
    cidr: cidrOf(cidr),
    blockSize,
    disabled: false,
    assignmentMode: "Automatic" as const,
    allowedUses: ["Workload" as const],
    borrowing: chance(0.2) ? ("forbidden" as const) : ("allowed" as const),
    ...(chance(0.8) && { cooldownSeconds }),
    ...rest,
  });
  // One of many block groups, each with room for a single address. A bounded scan may miss an
  // address that exists.
  const sparse = chance(0.13);
  const main = sparse
    ? spec("10.0.0.0/23", 32)
    : pick(
        spec("10.0.0.0/29", 31),
        // Blocks of a single address, so that a host has more of them than it reads at once.
        spec("10.0.0.0/28", 32),
        spec("10.0.0.0/28", 31),
        spec("10.0.0.0/28", 30),
        spec("10.0.0.0/28", 28),
      );
  const extra = spec("10.1.0.0/29", 31, {
    disabled: chance(0.15),
    ...(chance(0.3) && { assignmentMode: "Manual" }),
    allowedUses: chance(0.3) ? ["Tunnel"] : ["Workload", "Tunnel"],
  });
  const comesAndGoes = sparse || chance(0.5);
  const hasExtra = chance(comesAndGoes && !sparse ? 0.7 : 0.2);
  const groups = Array.from({ length: 8 }, (_, n) => n * 64);
  const reserved = sparse
    ? groups.map((n) => `${v4(0x0a000001 + n)}-${v4(0x0a00003f + n)}`)
    : chance(0.15)
      ? ["10.0.0.0/30"]
      : chance(0.1)
        ? ["10.0.0.1", "10.0.0.4-10.0.0.5"]
        : [];
  const hosts = ["node-1", "node-2", "node-3", "node-4"]
    .slice(0, pick(2, 2, 3, 4))
    .map((name) => hostId("host", name));
  const shared = chance(0.3);
  const limit = chance(0.7) ? pick(1, 2, 3) : undefined;
  const clients = Array.from({ length: CLIENTS }, (_, n) => ({
    handle: shared && n > 1 ? "pod-shared" : `pod-${n}`,
    host: hosts[n % hosts.length] as HostId,
    limit: (shared ? n > 1 : chance(0.6)) ? limit : undefined,
  }));
  const selects = chance(0.35);
  const selectors = (nodes: readonly string[], namespaces: readonly string[]) =>
    selects && {
      ...(chance(0.7) && { nodeSelector: selectorOf(pick(...nodes)) }),
      ...(chance(0.3) && { namespaceSelector: selectorOf(pick(...namespaces)) }),
    };
  return {
    pools: [
      {
        ...main,
        ...selectors(["zone == 'west'", "!has(gpu)", "zone != 'east'"], ["team != 'db'", "all()"]),
        name: "pool-4",
      },
      ...(hasExtra
        ? [
            {
              ...extra,
              ...selectors(["zone in {'east'}", "has(gpu)"], ["has(team)"]),
              name: "pool-5",
            },
          ]
        : []),
      { ...spec("2001:db8::/126", 127), name: "pool-6" },
    ],
    selects,
    labels: drawAllLabels(random, hosts),
    settings: {
      ...SETTINGS_DEFAULT,
      cooldownSeconds,
      // Longer than the cooldown, or shorter, which is then as long.
      conflictQuarantineSeconds: cooldownSeconds === 5 ? 0 : 60,
      strictAffinity: chance(0.3),
      autoAllocateBlocks: chance(0.93),
      warmBlocksPerHost: chance(0.2) ? 1 : 0,
      blockMinAgeSeconds: pick(0, 10, 30, 60),
      maxBlocksPerHost: chance(0.25) ? 1 : SETTINGS_DEFAULT.maxBlocksPerHost,
      maxAddressesPerRequest: chance(0.1) ? 2 : SETTINGS_DEFAULT.maxAddressesPerRequest,
      allowBareRelease: chance(0.3),
      requireRegisteredHosts: selects && chance(0.3),
    },
    cooldownMs: cooldownSeconds * 1000,
    reserved: {
      cidrs: reserved,
      intervals: reserved.map((text) => valueIn(parseInterval(text))),
    },
    hosts,
    // The last client repeats the first one's requests, as a client library or a second executor
    // would.
    clients: [...clients, clients[0] as (typeof clients)[number]],
    weather: drawWeather(random),
    fleeting: [
      "wanted-0",
      "wanted-1",
      ...(comesAndGoes ? (hasExtra ? ["pool-5", "pool-5"] : ["pool-4", "pool-4"]) : []),
    ],
    tidied: chance(0.5),
    rivals: chance(0.5),
    leaps: chance(0.2),
    neighbour: chance(0.25),
    provisioned: chance(0.5),
    hostReserved: chance(0.4)
      ? { start: 1, end: 0, handle: "reserved", ...(chance(0.5) && { note: "ours" }) }
      : undefined,
    moving: chance(0.4),
    founded: chance(0.3),
  };
}

/** The namespaces that requests name. */
export const NAMESPACES = ["shop", "bank"];

/** Draws the labels that an operator registers for a host or a namespace. */
export function drawLabels({ fraction }: Random): Labels {
  const zone = fraction() < 0.65 ? "west" : "east";
  const team = fraction() < 0.6 ? "web" : "db";
  return { ...(fraction() < 0.85 && { zone, team }), ...(fraction() < 0.25 && { gpu: "" }) };
}

/** Draws the labels of all hosts and namespaces. Most are registered. */
function drawAllLabels(random: Random, hosts: readonly HostId[]): ReadonlyMap<string, Labels> {
  const all = [...hosts, ...NAMESPACES.map(namespaceNamed)];
  return new Map(
    all.filter(() => random.fraction() < 0.85).map((who) => [who, drawLabels(random)]),
  );
}

const CLIENTS = 5;
/** Groups of writes for relentless weather: for a while the database hardly ever answers them. */
const RELENTLESS = [
  ["handle-fence", "repair-fence", "unknown-fence", "replay-fence", "borrowed-fence"],
  ["repair-release-fence", "repair-abort-fence", "replay-abort-fence"],
  ["free-slots"],
  ["end", "end-whole"],
  ["replay-abort", "repair-abort"],
  ["mark-freed"],
  ["add-group"],
  ["raise-version"],
  ["change-plan"],
  ["enter-node", "create-node", "delete-node", "leave-node"],
  ["put-pool"],
  ["create-affinity"],
  ["take-slots"],
  ["amend", "expire"],
  ["quota-slot", "quota-slot-over", "quota-slot-drop", "limit-end"],
  ["create-block"],
  ["pending-live", "abort"],
  ["seize", "sign-deletion", "delete-block", "affinity-retire"],
  ["borrowed", "disown-borrowed", "disown"],
] as const;

function drawWeather(random: Random): Weather {
  const chance = (share: number) => random.fraction() < share;
  const isRelentless = chance(0.5);
  // A process must survive the relentless weather.
  const isFairOtherwise = isRelentless && chance(0.5);
  const times = (share: number) =>
    isFairOtherwise ? 0 : share * ([0, 0.3, 1, 2.5][Math.floor(random.fraction() * 4)] ?? 1);
  const fromMs = 60_000 * random.fraction();
  return {
    unknownShare: times(STORMY.unknownShare),
    unansweredShare: times(STORMY.unansweredShare),
    crashShare: times(STORMY.crashShare),
    freezeShare: times(STORMY.freezeShare),
    busyShare: times(STORMY.busyShare),
    twiceShare: times(STORMY.twiceShare),
    slowShare: times(STORMY.slowShare),
    staleShare: times(STORMY.staleShare),
    ...(isRelentless && {
      relentless: {
        steps: shuffled(RELENTLESS, random).slice(0, 4).flat(),
        ...(chance(0.75)
          ? { silentShare: 0.985, landedShare: 0.03 }
          : { silentShare: 0.5, landedShare: 0.5 }),
        fromMs,
        untilMs: chance(0.5) ? fromMs + 100_000 * random.fraction() : Number.POSITIVE_INFINITY,
      },
    }),
  };
}

export const cidrOf = (text: string): Cidr => valueIn(parseCidr(text));

export function valueIn<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

export const selectorOf = (text: string) => ({ text, selector: valueIn(parseSelector(text)) });

const v4 = (value: number) =>
  Array.from({ length: BITS[4] / 8 }, (_, i) => (value >>> (24 - 8 * i)) & 0xff).join(".");
