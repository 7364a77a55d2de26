import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseAddresses } from "../../src/kernel/release/release-addresses.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { releaseHost } from "../../src/kernel/release/release-host.ts";
import { releaseInstance } from "../../src/kernel/release/release-instance.ts";
import { reportConflict } from "../../src/kernel/release/report-conflict.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { isKeptKind } from "../../src/nouns/application/workload.ts";
import type { Coming, Instances } from "./instances.ts";
import { requestOf } from "./layers.ts";
import { type Promised, promisedOf } from "./ledger.ts";
import type { Member } from "./members.ts";
import { chance, oneOf } from "./operators.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";

/** The instances of a run, their judge, and all that was done with them so far. */
export interface Crew {
  readonly members: readonly Member[];
  readonly judge: Instances;
  /** The incarnations that another one has followed. */
  readonly past: Incarnation[];
  /** The last act, which may be done twice. */
  last?: (context: Context, life: Life) => Promise<unknown>;
}

/** An instance under one uid, on the host where it comes first, and what its caller was told each time. */
interface Incarnation {
  readonly crew: Crew;
  readonly member: Member;
  readonly uid: string;
  readonly form: AssignRequest;
  readonly host: HostId;
  readonly told: (readonly Promised[])[];
}

const INCARNATIONS = 4;
const TRIES_MAX = 3;

/**
 * Acts as the controller of one instance: it comes under a uid, is kept or released or replaced, and comes again under the next uid
 * on any host.
 */
export async function controller(
  context: Context,
  life: Life,
  crew: Crew,
  member: Member,
): Promise<void> {
  for (let n = 0; n < INCARNATIONS; n++) {
    await context.sleep(12_000 * context.random.fraction());
    const form = member.forms[chance(context, 0.15) ? 1 : 0] as AssignRequest;
    const host = oneOf(context, life.scenario.hosts);
    const uid = `${member.workload.instance}-${n}`;
    const incarnation: Incarnation = { crew, member, uid, form, host, told: [] };
    await come(context, life, incarnation);
    await context.sleep(10_000 * context.random.fraction());
    if (chance(context, 0.35)) await comeAnywhere(context, life, incarnation);
    await act(context, life, incarnation, oneOf(context, goodbyesIn(life)));
    if (chance(context, 0.25)) await comeAnywhere(context, life, incarnation);
    crew.past.push(incarnation);
  }
}

/** Does the last act once more, or something for an earlier incarnation, as a message does that comes twice or late. */
export async function straggler(context: Context, life: Life, crew: Crew): Promise<void> {
  for (let n = 0; n < 8; n++) {
    await context.sleep(18_000 * context.random.fraction());
    const incarnation = oneOf(context, crew.past);
    const late = oneOf(context, LATE);
    if (!incarnation || chance(context, 0.25)) await crew.last?.(context, life);
    else await life.scheduler.trying(() => late(context, life, incarnation));
  }
}

type Act = (context: Context, life: Life, incarnation: Incarnation) => Promise<unknown>;

const GOODBYES: readonly Act[] = [
  keepByUid,
  keepByUid,
  keepByUid,
  keepByGeneration,
  replaced,
  replaced,
  leave,
  endByUid,
  endByGeneration,
  endByHandle,
];

/** Returns the ways to give addresses up. */
const goodbyesIn = ({ conflicts }: Life): readonly Act[] =>
  conflicts ? [...GOODBYES, report] : GOODBYES;

/** What comes late for an earlier incarnation. */
const LATE: readonly Act[] = [
  ask,
  keepByUid,
  keepByGeneration,
  endByUid,
  endByGeneration,
  endByGeneration,
];

/** Does something with an incarnation, and remembers it. */
async function act(
  context: Context,
  life: Life,
  incarnation: Incarnation,
  how: Act,
): Promise<void> {
  const { crew } = incarnation;
  crew.last = (by, of) => of.scheduler.trying(() => how(by, of, incarnation));
  await life.scheduler.trying(() => how(context, life, incarnation));
}

/** Asks for the addresses of the incarnation, until there is an answer. */
async function come(context: Context, life: Life, incarnation: Incarnation): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    await act(context, life, incarnation, ask);
    if (incarnation.told.length > 0) return;
    await context.sleep(15_000 * context.random.fraction());
  }
}

/** Asks again, at times from another host. */
async function comeAnywhere(context: Context, life: Life, incarnation: Incarnation): Promise<void> {
  const host = chance(context, 0.4) ? oneOf(context, life.scenario.hosts) : incarnation.host;
  await act(context, life, incarnation, (by, of, one) => ask(by, of, { ...one, host }));
}

async function ask(context: Context, life: Life, incarnation: Incarnation): Promise<void> {
  const { scheduler, ledger } = life;
  const { crew, member, uid, form, host } = incarnation;
  const request: Coming = { ...form, host, workload: { ...member.workload, uid } };
  const since = crew.judge.moment;
  const heardSince = ledger.moment;
  const answer = await crew.judge.coming(request, () => assign(requestOf(context), request));
  if (answer instanceof Rejection) return scheduler.count(`answer: ${answer.code}`);
  scheduler.count("answer: an instance came");
  const told = ledger.hear(member.handle, "instance", answer.addresses, heardSince);
  const wanted = form.wanted.reduce((sum, { count }) => sum + count, 0);
  const [first] = answer.addresses.map((each) => promisedOf(member.handle, each));
  if (answer.addresses.length !== wanted || !first?.parsed.instance)
    ledger.violations.push({
      invariant: "I14",
      message: `${uid} asked for ${wanted} addresses, and got ${answer.addresses.length}`,
    });
  else crew.judge.hearCome(request, first.parsed.instance.incarnation, since);
  if (told.length > 0) incarnation.told.push(told);
}

async function keepByUid(context: Context, life: Life, incarnation: Incarnation): Promise<void> {
  return releaseByUid(context, life, incarnation, true);
}

async function endByUid(context: Context, life: Life, incarnation: Incarnation): Promise<void> {
  return releaseByUid(context, life, incarnation, false);
}

async function releaseByUid(
  context: Context,
  { scheduler }: Life,
  { crew: { judge }, member: { handle, place, workload }, uid }: Incarnation,
  keep: boolean,
): Promise<void> {
  if (keep && isKeptKind(workload)) judge.keeping(handle, uid);
  else judge.ending(handle, uid);
  const since = judge.moment;
  const answer = await releaseInstance(requestOf(context), {
    place,
    workload: { ...workload, uid },
    keep,
  });
  if (answer.kept.length > 0) judge.hearKept(handle, uid, since);
  const how = answer.kept.length > 0 ? "kept" : answer.released.length > 0 ? "released" : "left";
  scheduler.count(`instance: ${how}`);
}

async function keepByGeneration(
  context: Context,
  life: Life,
  incarnation: Incarnation,
): Promise<void> {
  return releaseByGeneration(context, life, incarnation, true);
}

/** Releases all addresses of the incarnation, or the first one. */
async function endByGeneration(
  context: Context,
  life: Life,
  incarnation: Incarnation,
): Promise<void> {
  return releaseByGeneration(context, life, incarnation, false);
}

async function releaseByGeneration(
  context: Context,
  { scheduler, ledger }: Life,
  { crew: { judge }, member: { handle, workload }, uid, told }: Incarnation,
  keep: boolean,
): Promise<void> {
  const answered = (chance(context, 0.8) ? told.at(-1) : oneOf(context, told)) ?? [];
  const some = keep || chance(context, 0.7) ? answered : answered.slice(0, 1);
  for (const { parsed } of some) {
    const incarnation = parsed.instance?.incarnation;
    if (keep && isKeptKind(workload)) judge.keeping(handle, incarnation ?? "");
    else judge.ending(handle, incarnation);
  }
  const since = judge.moment;
  const entries = some.map(({ at, parsed }) => ({ address: at, generation: parsed }));
  const { results } = await releaseAddresses(requestOf(context), SPACE, entries, keep);
  for (const [n, { status }] of results.entries()) {
    scheduler.count(`instance: address ${status}`);
    if (status === "kept") judge.hearKept(handle, uid, since);
    if (status === "released") ledger.gone(some[n] as Promised);
  }
}

async function endByHandle(
  context: Context,
  { ledger }: Life,
  { crew: { judge }, member: { handle } }: Incarnation,
): Promise<void> {
  judge.ending(handle);
  await ledger.ending(handle, () => releaseHandle(requestOf(context), SPACE, handle));
}

/** Releases all that its host has, as the drain of a node does. */
async function leave(
  context: Context,
  { ledger }: Life,
  { crew: { judge }, host }: Incarnation,
): Promise<void> {
  judge.leaving(host);
  await ledger.endingHost(host, () => releaseHost(requestOf(context), SPACE, host));
}

/** Reports that something else uses the first address of the incarnation. */
async function report(
  context: Context,
  { scheduler, ledger }: Life,
  { crew: { judge }, member: { handle }, told }: Incarnation,
): Promise<void> {
  const [first] = told.at(-1) ?? [];
  if (!first) return;
  const { address, at, parsed } = first;
  judge.ending(handle, parsed.instance?.incarnation);
  const since = ledger.moment;
  const answer = await reportConflict(requestOf(context), SPACE, {
    address: at,
    generation: parsed,
  });
  if (answer instanceof Rejection) return scheduler.count(`answer: ${answer.code}`);
  scheduler.count("answer: quarantined");
  ledger.heardQuarantine(address, answer.quarantinedUntilMs, since);
  ledger.gone(first);
}

/** Does nothing: the next incarnation replaces this one while it is in use. */
async function replaced(): Promise<void> {}
