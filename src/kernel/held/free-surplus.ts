import { PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import { ordinalOf } from "../../net/cidr.ts";
import type { Application, ListedAddress } from "../../nouns/application/application.ts";
import { countsOf, membersOf } from "../../nouns/application/changes.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { blocksOfListed } from "./blocks-of-listed.ts";

/**
 * Returns the addresses that an application has beyond its number, and that no instance has: the highest first, so that few blocks
 * stay in use. Those that an instance has go when it releases them.
 *
 * @param options.countMax the most addresses of the answer; without it, all
 * @param options.among the addresses that may go; without it, all that the application lists
 */
export async function freeSurplus(
  context: Context,
  application: Application,
  { countMax, among }: { readonly countMax?: number; readonly among?: readonly ListedAddress[] },
): Promise<readonly ListedAddress[]> {
  const goes: ListedAddress[] = [];
  for (const { target, surplus } of countsOf(application)) {
    if (surplus === 0) continue;
    const members = membersOf(application, target).filter(
      (each) => each.state === "in" && (!among || among.includes(each)),
    );
    const free = await withoutTaken(context, application.space, members);
    goes.push(...free.slice(0, surplus));
  }
  return goes.slice(0, countMax);
}

/** Returns the addresses that are not taken, in falling order. */
async function withoutTaken(
  { store }: Context,
  space: string,
  members: readonly ListedAddress[],
): Promise<readonly ListedAddress[]> {
  const some = await inParallel(
    blocksOfListed(members),
    PAGE_READS_AT_ONCE,
    async ({ cidr, addresses }) => {
      const block = await store.readBlock(space, cidr);
      return addresses.filter(
        ({ address }) => block?.slots.get(ordinalOf(cidr, address))?.kind !== "taken",
      );
    },
  );
  return some.flat().toSorted((a, b) => (a.address.value > b.address.value ? -1 : 1));
}
