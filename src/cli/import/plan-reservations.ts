import { same } from "../../base/same.ts";
import { countOf, formatSet, sharedBy, subtract } from "../../net/address-set.ts";
import { nameOfApplication } from "../../nouns/application/application.ts";
import { addressSetOfTexts } from "../space/configuration.ts";
import type { CurrentState } from "./current.ts";
import type { Conflict, Desired } from "./desired.ts";
import { type AssignStep, type ReservationStep, verbOf } from "./steps.ts";

/**
 * Plans the reservations. An application holds no reserved address, so a reservation leaves out the addresses that its instances get
 * until they have them.
 */
export function planReservations(
  { reservations, applications = [], ownReservation }: Desired,
  current: CurrentState,
  assigns: readonly AssignStep[],
): { readonly steps: readonly ReservationStep[]; readonly conflicts: readonly Conflict[] } {
  const names = new Set(applications.map(({ name }) => name));
  const needed = assigns.filter(({ address, workload }) => {
    const name = workload && nameOfApplication(workload);
    if (name === undefined || !names.has(name)) return false;
    return !current.applications.get(name)?.members.some((member) => member.address === address);
  });
  const taken = addressSetOfTexts(needed.map(({ address }) => address));
  const others = (cidrs: readonly string[]) => {
    const set = addressSetOfTexts(cidrs);
    const shared = sharedBy(set, taken);
    return countOf(shared) === 0n ? undefined : { shared, left: formatSet(subtract(set, taken)) };
  };
  const wanted = new Set(reservations.map(({ name }) => name));
  const steps = reservations.flatMap(({ name, cidrs }): ReservationStep[] => {
    const before = current.reservations.get(name);
    const verb = verbOf(before !== undefined, same(before, cidrs));
    const opened = others(cidrs)?.left;
    return verb || opened
      ? [{ name, cidrs, ...(verb && { verb }), ...(opened && { opened }) }]
      : [];
  });
  const unwanted = [...current.reservations].flatMap(([name, cidrs]) => {
    const rest = wanted.has(name) ? undefined : others(cidrs);
    return rest ? [{ name, ...rest }] : [];
  });
  const isOwn = ({ name }: { readonly name: string }) => ownReservation?.test(name) ?? false;
  return {
    steps: [
      ...steps,
      // The last import left out what this one assigns.
      ...unwanted
        .filter(isOwn)
        .map(({ name, left }): ReservationStep => ({ name, cidrs: left, verb: "change" })),
    ],
    conflicts: unwanted
      .filter((one) => !isOwn(one))
      .map(({ name, shared }) => ({
        kind: "reservation",
        name,
        problem: `of Plat reserves ${formatSet(shared).join(", ")}, which applications must hold for their instances; take it out, and reserve it again after the import`,
      })),
  };
}
