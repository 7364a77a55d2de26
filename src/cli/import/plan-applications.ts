import { APPLICATION_ADDRESSES_MAX } from "../../base/limits.ts";
import { same } from "../../base/same.ts";
import { parseAddress } from "../../net/address.ts";
import { countOf, NO_ADDRESSES, subtract } from "../../net/address-set.ts";
import { nameOfApplication, numberOfEach } from "../../nouns/application/application.ts";
import { type ApplicationRead, addressSetOfTexts } from "../space/configuration.ts";
import type { CurrentState } from "./current.ts";
import type { Conflict, Desired, DesiredApplication } from "./desired.ts";
import type { KnownPool } from "./plan-pools.ts";
import { type ApplicationStep, type AssignStep, verbOf } from "./steps.ts";

/**
 * Plans the applications. One whose instances get addresses holds all the addresses of its own pools until they have them, because
 * Plat would otherwise choose which of them it holds. It has its final number at the end.
 */
export function planApplications(
  desired: Desired,
  current: CurrentState,
  pools: readonly KnownPool[],
  assigns: readonly AssignStep[],
): { readonly steps: readonly ApplicationStep[]; readonly conflicts: readonly Conflict[] } {
  const planned = (desired.applications ?? []).map((one): ApplicationStep => {
    const before = current.applications.get(one.name);
    // The source shows the ordinals of its pods, and not where they start.
    const fields = before ? { ...one.fields, start: before.start } : one.fields;
    const isThere = before?.complete === true && same(fieldsOf(before), fields);
    const verb = verbOf(before !== undefined, isThere);
    const step = { ...one, fields, ...(verb && { verb }) };
    const addresses = addressesFor(one, assigns);
    const held = new Set(before?.members.map(({ address }) => address));
    const isHeld = addresses.every((address) => held.has(address));
    const whole = wholeNumber(one, before, pools);
    const isEnough = before ? !verb && isHeld : numberOfEach(fields) >= whole;
    if (addresses.length === 0 || isEnough) return step;
    const number = String(Math.max(whole, numberOfEach(fields)));
    return { ...step, opened: { ...fields, addresses: { ...fields.addresses, number } } };
  });
  return {
    steps: planned.filter(({ verb, opened }) => verb || opened),
    conflicts: planned.flatMap((step) => limitConflicts(step, pools)),
  };
}

const addressesFor = ({ name }: DesiredApplication, assigns: readonly AssignStep[]) =>
  assigns
    .filter(({ workload }) => workload && nameOfApplication(workload) === name)
    .map(({ address }) => address);

/** Returns a number with which an application holds all the addresses of its own pools, beside those that it has. */
function wholeNumber(
  { pools: names }: DesiredApplication,
  before: ApplicationRead | undefined,
  pools: readonly KnownPool[],
): number {
  const members = before?.members ?? [];
  const held = addressSetOfTexts(members.map(({ address }) => address));
  const own = pools.filter(({ name, isOuter }) => names.includes(name) && !isOuter);
  const free = own.map(({ ranges = NO_ADDRESSES }) => Number(countOf(subtract(ranges, held))));
  const counts = new Map<string, number>();
  for (const { address, interface: of = "" } of members) {
    const read = parseAddress(address);
    const target = `${read.ok ? read.value.family : ""} ${of}`;
    counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values()) + Math.max(0, ...free);
}

/** Returns the conflict of an application with more addresses than one can have. */
function limitConflicts(
  { name, fields, opened }: ApplicationStep,
  pools: readonly KnownPool[],
): readonly Conflict[] {
  const { addresses } = fields;
  const families = new Map(pools.map((pool) => [pool.name, pool.cidr.family]));
  const targets = (addresses.interfaces ?? [{ pools: addresses.pools ?? [] }]).reduce(
    (sum, each) => sum + new Set(each.pools.map((pool) => families.get(pool))).size,
    0,
  );
  const wanted = targets * Math.max(numberOfEach(fields), opened ? numberOfEach(opened) : 0);
  if (wanted <= APPLICATION_ADDRESSES_MAX) return [];
  const problem = `comes to ${wanted} addresses in all interfaces and families; an application has at most ${APPLICATION_ADDRESSES_MAX}`;
  return [{ kind: "application", name, problem }];
}

const fieldsOf = ({ replicas, start, addresses }: ApplicationRead) => ({
  replicas,
  start,
  addresses,
});
