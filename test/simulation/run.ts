import { handleHash } from "../../src/base/hash.ts";
import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import type { DefaultPools } from "../../src/nouns/namespace/namespace.ts";
import {
  putPool,
  putReservation,
  putSettings,
} from "../../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import { putQuota } from "../../src/nouns/quota/operations/quotas.ts";
import { putNamespace } from "../../src/nouns/registry/operations/namespaces.ts";
import { putNode } from "../../src/nouns/registry/operations/nodes.ts";
import { SETTINGS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import { grantedTable } from "../functions/rights.ts";
import { reclaimSpaces, repairAll } from "../scheduled-runs.ts";
import { drawAddressCluster } from "./address-cluster.ts";
import { type Agents, drivers, newAgents } from "./agents.ts";
import { drawApplications } from "./applications.ts";
import { drawBatches, provisionerOfMany } from "./batches.ts";
import { BudgetPieces } from "./budget-pieces.ts";
import { drawCallers } from "./callers.ts";
import { calmDown } from "./calm.ts";
import { client, janitor, neighbour, twin } from "./client.ts";
import { drawConditions, drawWorkload } from "./conditions.ts";
import { Cooldowns } from "./cooldowns.ts";
import { HeldAddresses } from "./held-addresses.ts";
import { type Crew, controller, straggler } from "./incarnations.ts";
import { completeIndexes, drawIndexes, withTenant } from "./indexes.ts";
import { Instances } from "./instances.ts";
import { LANDLORDS_SHARE, landlord, lodger, Tenancy } from "./landlord.ts";
import { contextOver, IDENTITY, nameInRegister } from "./layers.ts";
import { Ledger } from "./ledger.ts";
import { drawMembers } from "./members.ts";
import { MutatedTable } from "./mutate.ts";
import { asThisVersion, type NextVersion, nextVersionTable } from "./next-version.ts";
import { drawCluster, type Nodes, node, rebuiltNode, repeater } from "./node-prefixes.ts";
import {
  administrator,
  calendar,
  disowner,
  drawPlan,
  ender,
  founder,
  labeller,
  lifter,
  provisioner,
} from "./operators.ts";
import { Outlasting } from "./outlasting.ts";
import { Owners } from "./owners.ts";
import { poolMaker } from "./pool-makers.ts";
import { drawPrefixCluster } from "./prefix-cluster.ts";
import { prefixOwner } from "./prefix-owners.ts";
import { PromisedPrefixes } from "./promised-prefixes.ts";
import { seededRandom } from "./random.ts";
import { asTenant, drawRangedPools } from "./ranged-pools.ts";
import { readingOnce } from "./reading.ts";
import { ASIDE, asDual, drawRequests, FOUNDED, SPACE, SPACES } from "./requests.ts";
import { resizer, type Subnet } from "./resizer.ts";
import { type Fleet, scaler } from "./scaler.ts";
import { cidrOf, drawScenario, type Scenario } from "./scenario.ts";
import { Scheduler, type Step, type Surroundings, type Weather } from "./scheduler.ts";
import { DEPOT, Selection } from "./selection.ts";
import { ServedSets } from "./served-sets.ts";
import { StatedNetworks } from "./stated-networks.ts";
import { Strictness } from "./strictness.ts";

export interface RunOptions {
  readonly seed: number;
  /** The weather in place of the drawn one. */
  readonly weather?: Weather;
  /** A clause or step to leave out. */
  readonly without?: string | undefined;
  /** Selects another order of events in the same run. */
  readonly schedule?: number | undefined;
  /** The processes that take part; absent for all of them. */
  readonly only?: ReadonlySet<string> | undefined;
  /** True if agents of Cilium take part whatever the seed draws. */
  readonly agents?: boolean | undefined;
  /** The next version, if every second process is of it. */
  readonly nextVersion?: NextVersion | undefined;
}

export interface RunResult {
  readonly violations: readonly Violation[];
  /** The count of each call, fault and answer. */
  readonly seen: ReadonlyMap<string, number>;
  /** The names of the processes that took part. */
  readonly processes: readonly string[];
}

/** The world and the records that the processes of one run share. */
export interface Life {
  readonly scenario: Scenario;
  readonly scheduler: Scheduler;
  readonly ledger: Ledger;
  readonly strictness: Strictness;
  readonly selection: Selection;
  readonly owners: Owners;
  /** True if clients report conflicts, and an operator lifts quarantines. */
  readonly conflicts: boolean;
  /** The ranged pools, if there are any. */
  readonly subnet: Subnet | undefined;
  /** The instances, if there are any. */
  readonly crew: Crew | undefined;
  /** The applications of the instances, if there are any. */
  readonly fleet: Fleet | undefined;
  /** The nodes that ask for prefixes, if there are any. */
  readonly nodes: Nodes | undefined;
  /** The nodes with Cilium's agents, by mode. */
  readonly agents: readonly Agents[];
  /** Those that watch each step, beside the ledger. */
  readonly judges: readonly Judge[];
}

/** Watches the table from step to step. */
interface Judge {
  readonly violations: Violation[];
  step(contents: Contents, step: Step): void;
}

/** The share of runs whose functions have all layers of a deployed one. */
const WHOLE_STACK_SHARE = 0.5;
/** The share of these whose table is behind a guard. The others are as functions over a table without an id. */
const GUARDED_SHARE = 0.9;
/** In these runs, the share of failed reads and throttled requests that begin a burst. */
const BURST_SHARE = 0.5;
/** The share of runs with conflicts. */
const CONFLICTS_SHARE = 0.35;
/** The share of the runs with nodes in which callers have prefixes too. */
const PREFIX_OWNERS_SHARE = 0.5;
/** The share of runs with pools of prefixes in which somebody makes pools of prefixes. */
const POOL_MAKERS_SHARE = 0.2;
/** The share of runs with requests that name an address of each family. */
const DUALS_SHARE = 0.25;
/** The share of runs with pools of prefixes in which a node is rebuilt. */
const REBUILT_SHARE = 0.5;

/** With this name the seeds that other tests name have no such requests, so that their runs stay as they are. */
const DUALS = "duals 2608";
/** With this name the seeds that other tests name have no indexes, so that their runs stay as they are. */
const INDEXES = "indexes 9";
/** With this name the runs stay as they are of the seeds beyond 50 that other tests name, which take long to find again. */
const LAYERS = "layers 9661";
/** As `LAYERS`: the seeds for the rarest clauses have no guard. */
const GUARD = "guard 153534";

/** The processes that are scheduled functions: they have their rights to the table. */
const DEPLOYED = [
  ["reclaimer ", "reclaim"],
  ["repair run ", "repair"],
  ["worker ", "work"],
  ["scaler ", "applications"],
  ["resizer ", "configure"],
  ["administrator ", "configure"],
  ["disowner", "affinities"],
] as const;

/**
 * Runs one simulated life of a small space, drawn from the seed. Clients assign, read, renew and
 * release in every way, and two of them carry out the same requests. Reclaim runs, repair runs and
 * operators run beside them, with clocks that differ and with faults at every call. It proves the
 * invariants after every step, and the answers against one another. After a calm end the table must
 * be tidy, and then empty.
 */
export async function simulate({
  seed,
  weather,
  without,
  schedule = 0,
  only,
  agents: wantsAgents = false,
  nextVersion,
}: RunOptions): Promise<RunResult> {
  // Drawn apart, so that the other runs stay as they are.
  const indexedAttributes = drawIndexes(randomOf(seed, INDEXES));
  const { settings, ...plain } = drawScenario(seededRandom(seed));
  const drawn = { ...plain, settings: { ...settings, indexedAttributes } };
  const ranged = drawRangedPools(randomOf(seed, "ranged pools"), drawn);
  const all = { ...drawn, pools: [...drawn.pools, ...(ranged?.pools ?? [])] };
  const conditions = drawConditions(randomOf(seed, "conditions"), all);
  const callers = drawCallers(randomOf(seed, "roles of pools"), all.pools);
  const pools = all.pools.map((pool) => ({
    ...pool,
    ...conditions.pools.get(pool.name),
    ...(pool.name === callers?.pool && { principals: callers.principals }),
  }));
  const applications = drawApplications(randomOf(seed, "applications"), drawn, ranged);
  // A pool for applications comes first, because what lies inside of it is cut out of it.
  const scenario = { ...all, pools: [...(applications?.pools ?? []), ...pools] };
  const table = new MutatedTable(without);
  // Drawn apart, so that the other runs stay as they are.
  const areWhole = randomOf(seed, LAYERS).fraction() < WHOLE_STACK_SHARE;
  const ownWeather = areWhole ? { ...scenario.weather, burstShare: BURST_SHARE } : scenario.weather;
  const { slowShare } = weather ?? ownWeather;
  const areGuarded = areWhole && randomOf(seed, GUARD).fraction() < GUARDED_SHARE;
  const layers = { areWhole, areGuarded, haveDeadlines: areWhole && slowShare === 0 };
  const scheduler = new Scheduler(
    table,
    randomOf(seed, `schedule ${schedule}`),
    weather ?? ownWeather,
    nextVersion?.raised === undefined ? [] : ["CorruptItemError"],
  );
  const forbidding = scenario.pools.filter(({ borrowing }) => borrowing === "forbidden");
  const strictness = new Strictness(
    scenario.settings.strictAffinity,
    forbidding.map(({ name }) => name),
  );
  const isDual = randomOf(seed, DUALS).fraction() < DUALS_SHARE;
  const asks = scenario.clients.map((_, n) => {
    const workloads = randomOf(seed, `workloads ${n}`);
    const tenancies = randomOf(seed, `tenancies ${n}`);
    const tenants = randomOf(seed, `tenants ${n}`);
    const duals = randomOf(seed, `duals ${n}`);
    return drawRequests(randomOf(seed, `requests ${n}`), scenario, n).map(({ key, request }) => {
      const whole = {
        ...request,
        ...(conditions.pools.size > 0 && drawWorkload(workloads, conditions)),
        ...(callers && { assignedBy: callers.of(n) }),
      };
      const named = isDual ? asDual(duals, scenario, whole) : whole;
      const asked = ranged ? asTenant(tenancies, ranged, named) : named;
      return { key, request: withTenant(tenants, indexedAttributes, asked) };
    });
  });
  const tenants = randomOf(seed, "tenants of instances");
  const members = drawMembers(randomOf(seed, "instances"), scenario, applications).map(
    ({ forms, ...member }) => ({
      ...member,
      forms: forms.map((form) => withTenant(tenants, indexedAttributes, form)),
    }),
  );
  // With this name the seeds that other tests name have no batches, so that their runs stay as they are.
  const batches = drawBatches(randomOf(seed, "batches 196"), scenario);
  // As for batches.
  const tenancy =
    randomOf(seed, "spaces 123").fraction() < LANDLORDS_SHARE ? new Tenancy() : undefined;
  const requests = [
    ...batches.flat(),
    ...asks.flat().map(({ request }) => request),
    ...members.flatMap(({ forms }) => forms),
  ];
  const selection = new Selection(scenario, requests, scenario.labels, conditions.depotPools);
  const ledger = new Ledger(nextVersion?.raised === undefined);
  const owners = new Owners();
  // Drawn apart, so that the other runs stay as they are.
  const conflicts = randomOf(seed, "conflicts").fraction() < CONFLICTS_SHARE;
  const pieces = new BudgetPieces();
  const judges: Judge[] = [
    new Cooldowns(scenario.cooldownMs),
    strictness,
    selection,
    owners,
    pieces,
  ];
  const own = pools.filter(({ name }) => ranged?.names.includes(name));
  const outlasting = new Outlasting(layers);
  const subnet = ranged && { ...ranged, pools: own, judge: new ServedSets(outlasting) };
  if (subnet) judges.push(subnet.judge);
  const crew: Crew | undefined =
    members.length === 0
      ? undefined
      : {
          members,
          judge: new Instances({
            scenario,
            hasApplications: applications !== undefined,
            isStrict: () => strictness.mayBeStrict,
            onEnd: (address, token) => ledger.letGoUnder(address, token),
          }),
          past: [],
        };
  if (crew) judges.push(crew.judge);
  const fleet: Fleet | undefined = applications && { ...applications, judge: new HeldAddresses() };
  if (fleet) judges.push(fleet.judge);
  const cluster = drawCluster(randomOf(seed, "prefixes"), drawn);
  const nodes: Nodes | undefined = cluster && {
    ...cluster,
    judge: new PromisedPrefixes(),
    stated: new StatedNetworks(),
    acts: [],
  };
  if (nodes) judges.push(nodes.judge, nodes.stated);
  const agents = [
    drawAddressCluster(randomOf(seed, "agents"), wantsAgents),
    drawPrefixCluster(randomOf(seed, "agents of pools"), drawn, wantsAgents),
  ].flatMap((clusterOfCilium) => (clusterOfCilium ? [newAgents(clusterOfCilium)] : []));
  judges.push(...agents.map((each) => each.judge));
  if (tenancy) judges.push(tenancy);
  const life: Life = {
    scenario,
    scheduler,
    ledger,
    strictness,
    selection,
    owners,
    conflicts,
    subnet,
    crew,
    fleet,
    nodes,
    agents,
    judges,
  };
  const contextOf = (name: string, own: Surroundings): Context => {
    const context = contextOver(layers, {
      ...own,
      name,
      random: randomOf(seed, name),
      pauses: randomOf(seed, `${name}'s pauses`),
    });
    pieces.begins(name, context.cache);
    return context;
  };
  const calm = contextOf("calm", {
    table,
    now: () => Math.round(scheduler.nowMs),
    sleep: async () => {},
  });
  const prefixPools = [...(nodes?.pools ?? []), ...agents.flatMap((each) => each.pools)];
  await makeSpace(
    calm,
    { ...scenario, pools: [...scenario.pools, ...prefixPools] },
    conditions.depotPools,
  );
  if (areGuarded) nameInRegister(table, IDENTITY.id);
  if (indexedAttributes.length > 0) await completeIndexes(calm);
  if (callers) await putQuota(calm, SPACE, "red", callers.quota, undefined);
  const violations = judge(life, table, nextVersion?.raised);

  const processes: string[] = [];
  const spawn = (name: string, body: (context: Context) => Promise<unknown>) => {
    if (only && !only.has(name)) return;
    processes.push(name);
    // No two clocks differ by more than the design allows.
    const skewMs = (randomOf(seed, `${name}'s clock`).fraction() - 0.5) * CLOCK_SKEW_MS_MAX;
    const isNext = processes.length % 2 === 0;
    const deployed = DEPLOYED.find(([of]) => name.startsWith(of))?.[1];
    const tableOf = (surroundings: Surroundings) => {
      const own = deployed ? grantedTable(deployed, surroundings.table) : surroundings.table;
      return nextVersion && isNext ? nextVersionTable(own, nextVersion) : own;
    };
    const begin = (own: Surroundings) =>
      body(contextOf(name, { ...own, table: outlasting.watched({ ...own, table: tableOf(own) }) }));
    scheduler.spawn(name, begin, skewMs);
  };
  const last = scenario.clients.length - 1;
  for (let n = 0; n < last; n++) {
    spawn(`client ${n}`, (context) => client(context, life, asks[n] ?? []));
    if (n === 0) spawn("twin", (context) => twin(context, life, asks[n] ?? []));
  }
  for (let n = 0; n < 2; n++) {
    spawn(`reclaimer ${n}`, (context) =>
      passing(context, 4, 35_000, () => reclaimSpaces(context, SPACES)),
    );
    spawn(`repair run ${n}`, (context) => passing(context, 3, 50_000, () => repairAll(context)));
    const plan = drawPlan(randomOf(seed, scenario.rivals ? "plan" : `plan ${n}`), scenario);
    spawn(`administrator ${n}`, (context) => administrator(context, life, plan));
  }
  for (let n = 0; n < (scenario.fleeting.length > 2 || subnet ? 2 : 0); n++)
    spawn(`worker ${n}`, (context) => passing(context, 6, 60_000, () => runJobs(context)));
  spawn("disowner", (context) => disowner(context, life));
  spawn("ender", (context) => ender(context, life));
  for (let n = 0; n < (scenario.selects ? 2 : 0); n++)
    spawn(`labeller ${n}`, (context) => labeller(context, life));
  if (conflicts) spawn("lifter", (context) => lifter(context, life));
  if (scenario.provisioned) spawn("provisioner", (context) => provisioner(context, life));
  if (scenario.tidied) spawn("janitor", (context) => janitor(context, life));
  if (scenario.neighbour) spawn("neighbour", neighbour);
  if (scenario.founded) spawn("founder", (context) => founder(context, life));
  for (let n = 0; subnet && n < 2; n++)
    spawn(`resizer ${n}`, (context) => resizer(context, life, subnet));
  if (crew) {
    for (const [n, member] of crew.members.entries())
      spawn(`controller ${n}`, (context) => controller(context, life, crew, member));
    spawn("straggler", (context) => straggler(context, life, crew));
  }
  for (let n = 0; fleet && n < 2; n++)
    spawn(`scaler ${n}`, (context) => scaler(context, life, fleet));
  for (const name of nodes?.nodes ?? [])
    if (nodes) spawn(`node ${name}`, (context) => node(context, life, nodes, name));
  // Drawn apart, so that the other runs stay as they are.
  const hasOwners = randomOf(seed, "owners of prefixes").fraction() < PREFIX_OWNERS_SHARE;
  for (let n = 0; nodes && hasOwners && n < 2; n++)
    spawn(`owner ${n}`, (context) => prefixOwner(context, life, nodes, `owner-${n}`));
  // With this name the seeds that other tests name have none.
  const makesPools = randomOf(seed, "pools of prefixes 1").fraction() < POOL_MAKERS_SHARE;
  for (let n = 0; nodes && makesPools && n < 2; n++)
    spawn(`pool maker ${n}`, (context) => poolMaker(context, life, nodes, `made-${n}`));
  // As for pools of prefixes.
  const isRebuilt = randomOf(seed, "rebuilt node").fraction() < REBUILT_SHARE;
  if (nodes && isRebuilt) spawn("rebuilt node", (context) => rebuiltNode(context, life, nodes));
  if (nodes) spawn("repeater", (context) => repeater(context, life, nodes));
  for (const each of agents) for (const [name, body] of drivers(life, each)) spawn(name, body);
  if (tenancy) {
    spawn("landlord", (context) => landlord(context, life, tenancy));
    spawn("lodger", (context) => lodger(context, life));
    for (let n = 0; n < 2; n++)
      spawn(`worker of spaces ${n}`, (context) =>
        passing(context, 6, 60_000, () => runJobs(context)),
      );
  }
  if (batches.length > 0)
    spawn("provisioner of many", (context) => provisionerOfMany(context, life, batches));
  if (scenario.leaps) spawn("calendar", (context) => calendar(context, life));
  await scheduler.run();
  // An operator ends the rollout, and brings all items to one format.
  for (const item of asThisVersion(table.items(), nextVersion?.raised))
    table.partitions.get(item.pk)?.set(item.sk, item);
  if (violations.length === 0) violations.push(...(await calmDown(calm, life, requests)));
  return { violations, seen: scheduler.seen, processes };
}

/**
 * Proves the invariants after every call that wrote. After the first violations of a run it proves
 * nothing more.
 */
function judge(
  { scheduler, ledger, judges }: Life,
  table: MutatedTable,
  raised: string | undefined,
): Violation[] {
  const violations: Violation[] = [];
  const read = readingOnce();
  let writesSeen = table.writes;
  const items = () => asThisVersion(table.items(), raised);
  for (const each of judges) each.step(read(items()), { nowMs: scheduler.nowMs, skewMs: 0 });
  scheduler.onStep = (label, step) => {
    if (violations.length > 0 || table.writes === writesSeen) return;
    writesSeen = table.writes;
    const contents = read(items());
    ledger.step(contents, step.nowMs);
    for (const each of judges) each.step(contents, step);
    violations.push(...findViolations(contents));
    for (const each of [ledger, ...judges]) violations.push(...each.violations.splice(0));
    if (violations.length > 0) scheduler.count(`broken by: ${label}`);
  };
  return violations;
}

const BESIDE: PoolSpec = {
  cidr: cidrOf("10.3.0.0/28"),
  blockSize: 31,
  disabled: false,
  assignmentMode: "Automatic",
  allowedUses: ["Workload"],
  borrowing: "allowed",
};

async function makeSpace(
  context: Context,
  scenario: Scenario,
  depotPools: DefaultPools | undefined,
): Promise<void> {
  for (const { name, ...spec } of scenario.pools)
    await putPool(context, SPACE, name, spec, undefined);
  await putSettings(context, SPACE, scenario.settings, undefined);
  for (const [who, labels] of scenario.selects ? scenario.labels : []) {
    const [kind, name = ""] = who.split(":");
    await (kind === "namespace"
      ? putNamespace(context, SPACE, name, { labels }, undefined)
      : putNode(context, SPACE, name, { labels }, undefined));
  }
  if (depotPools)
    await putNamespace(context, SPACE, DEPOT, { labels: {}, defaultPools: depotPools }, undefined);
  if (scenario.reserved.cidrs.length > 0)
    await putReservation(context, SPACE, "first", scenario.reserved, undefined);
  if (scenario.neighbour) await putPool(context, ASIDE, "pool-4", BESIDE, undefined);
  if (scenario.founded) {
    await putSettings(context, FOUNDED, SETTINGS_DEFAULT, undefined);
    // An earlier scheduled run stopped there, when the index had more block groups.
    await context.store.keepPosition(SPACE, { pool: "pool-4", page: "0", group: 1n });
  }
}

async function passing(
  context: Context,
  times: number,
  pauseMsMax: number,
  scheduledRun: () => Promise<unknown>,
): Promise<void> {
  for (let n = 0; n < times; n++) {
    await context.sleep(pauseMsMax * context.random.fraction());
    await scheduledRun();
  }
}

/**
 * Returns the random source of a process. Each has its own, so a process that is left out changes
 * no draw of the others.
 */
const randomOf = (seed: number, name: string) =>
  seededRandom(Number(BigInt(`0x${handleHash(`${seed} ${name}`)}`) & 0xffffffffn));
