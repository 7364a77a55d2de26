import { same } from "../../base/same.ts";
import type { CurrentState } from "./current.ts";
import type { Conflict, Desired } from "./desired.ts";
import { planAddresses } from "./plan-addresses.ts";
import { planApplications } from "./plan-applications.ts";
import { planBlocks } from "./plan-blocks.ts";
import { knownPools, planPools } from "./plan-pools.ts";
import { planReservations } from "./plan-reservations.ts";
import { planSettings } from "./plan-settings.ts";
import { type Plan, type StepCounts, type Verb, verbOf } from "./steps.ts";

/** Returns the changes from the current to the desired state. It is pure: the same input has the same result. */
export function planOf(desired: Desired, current: CurrentState): Plan {
  const known = knownPools(desired, current);
  const blocks = planBlocks(desired, current, known);
  const addresses = planAddresses(desired, current, known, blocks);
  const { claims, disowns, leftovers } = blocks;
  const { assigns, owners } = addresses;
  const pools = planPools(desired, current, known, { claims, assigns });
  const settings = planSettings(desired, current, known, { claims, assigns, whose: blocks.whose });
  const reservations = planReservations(desired, current, assigns);
  const labelled = desired.labelled.map((one) => {
    const before = current.labelled.get(`${one.kind}/${one.name}`);
    return { ...one, verb: verbOf(before !== undefined, same(before, one.labels)) };
  });
  const applications = planApplications(desired, current, known, assigns);
  const conflicts = [
    ...desired.conflicts,
    ...pools.conflicts,
    ...reservations.conflicts,
    ...applications.conflicts,
    ...settings.conflicts,
    ...blocks.conflicts,
    ...addresses.conflicts,
  ];
  const within = (...kinds: readonly Conflict["kind"][]) =>
    conflicts.filter(({ kind }) => kinds.includes(kind)).length;
  const done = {
    reservations: reservations.steps,
    labelled: labelled.filter(hasVerb),
    applications: applications.steps,
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
      reservations: counts(desired.reservations.length, done.reservations, within("reservation")),
      labels: counts(labelled.length, done.labelled, within("labels")),
      configuration: counts(
        desired.settings ? 1 : 0,
        settings.step ? [settings.step] : [],
        within("configuration"),
      ),
      ...(desired.applications && {
        applications: counts(desired.applications.length, done.applications, within("application")),
      }),
      blocks: blocks.count(within("block", "affinity")),
      addresses: addresses.count(within("address", "handle")),
    },
  };
}

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
