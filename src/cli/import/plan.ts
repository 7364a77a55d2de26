import { same } from "../../base/same.ts";
import type { ApplicationRead } from "../space/configuration.ts";
import type { CurrentState } from "./current.ts";
import type { Conflict, Desired } from "./desired.ts";
import { planAddresses } from "./plan-addresses.ts";
import { planBlocks } from "./plan-blocks.ts";
import { knownPools, planPools } from "./plan-pools.ts";
import { planSettings } from "./plan-settings.ts";
import type { Plan, StepCounts, Verb } from "./steps.ts";

/** Returns the changes from the current to the desired state. It is pure: the same input has the same result. */
export function planOf(desired: Desired, current: CurrentState): Plan {
  const known = knownPools(desired, current);
  const blocks = planBlocks(desired, current, known);
  const addresses = planAddresses(desired, current, known, blocks);
  const { claims, disowns, leftovers } = blocks;
  const { assigns, owners } = addresses;
  const pools = planPools(desired, current, known, { claims, assigns });
  const settings = planSettings(desired, current, known, { claims, assigns, whose: blocks.whose });
  const reservations = desired.reservations.map(({ name, cidrs }) => {
    const before = current.reservations.get(name);
    return { name, cidrs, verb: verbOf(before !== undefined, same(before, cidrs)) };
  });
  const labelled = desired.labelled.map((one) => {
    const before = current.labelled.get(`${one.kind}/${one.name}`);
    return { ...one, verb: verbOf(before !== undefined, same(before, one.labels)) };
  });
  const applications = (desired.applications ?? []).map((one) => {
    const before = current.applications.get(one.name);
    const isThere = before?.complete === true && same(fieldsOf(before), one.fields);
    return { ...one, verb: verbOf(before !== undefined, isThere) };
  });
  const conflicts = [
    ...desired.conflicts,
    ...pools.conflicts,
    ...settings.conflicts,
    ...blocks.conflicts,
    ...addresses.conflicts,
  ];
  const within = (...kinds: readonly Conflict["kind"][]) =>
    conflicts.filter(({ kind }) => kinds.includes(kind)).length;
  const done = {
    reservations: reservations.filter(hasVerb),
    labelled: labelled.filter(hasVerb),
    applications: applications.filter(hasVerb),
    pools: pools.steps,
  };
  return {
    ...done,
    ...(settings.step && { settings: settings.step }),
    claims,
    assigns,
    owners,
    disowns,
    leftovers,
    conflicts,
    notes: desired.notes,
    counts: {
      pools: counts(desired.pools.length, done.pools, within("pool")),
      reservations: counts(reservations.length, done.reservations, within("reservation")),
      labels: counts(labelled.length, done.labelled, within("labels")),
      configuration: counts(
        desired.settings ? 1 : 0,
        settings.step ? [settings.step] : [],
        within("configuration"),
      ),
      ...(desired.applications && {
        applications: counts(applications.length, done.applications, within("application")),
      }),
      blocks: blocks.count(within("block", "affinity")),
      addresses: addresses.count(within("address", "handle")),
    },
  };
}

const fieldsOf = ({ replicas, start, addresses }: ApplicationRead) => ({
  replicas,
  start,
  addresses,
});

const verbOf = (stands: boolean, same: boolean): Verb | undefined =>
  stands ? (same ? undefined : "change") : "create";

const hasVerb = <Step extends { readonly verb: Verb | undefined }>(
  step: Step,
): step is Step & { readonly verb: Verb } => step.verb !== undefined;

function counts(
  all: number,
  steps: readonly { readonly verb?: Verb }[],
  conflicts: number,
): StepCounts {
  const create = steps.filter(({ verb }) => verb === "create").length;
  const change = steps.filter(({ verb }) => verb === "change").length;
  return { create, change, unchanged: Math.max(0, all - create - change - conflicts), conflicts };
}
