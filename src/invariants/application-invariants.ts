import { type Block, takenUnder } from "../kernel/values/block.ts";
import type { HeldSlot } from "../kernel/values/block-changes.ts";
import { blockOf } from "../kernel/values/block-group.ts";
import { type BlocksByName, nameOfBlock } from "../kernel/values/blocks-by-name.ts";
import { formatAddress } from "../net/address.ts";
import { includesAddress } from "../net/address-set.ts";
import { addressAt, formatCidr, ordinalOf } from "../net/cidr.ts";
import {
  applicationHash,
  type ListedAddress,
  nameOfApplication,
} from "../nouns/application/application.ts";
import { countsOf, isGone, listedAt, membersOf } from "../nouns/application/changes.ts";
import { isBeside, isForApplications } from "../nouns/pool/application-pools.ts";
import { addressSetOf, servedSetOf } from "../nouns/pool/set.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/**
 * Finds held slots that their application does not list (I15), and those whose address is not of the pool that the application
 * names (I13).
 */
export const applicationViolations = (contents: Contents): Violation[] =>
  contents.blocks.flatMap((block) =>
    [...block.slots].flatMap(([ordinal, slot]): Violation[] => {
      const wrong = slot.kind === "held" ? wrongIn(block, ordinal, slot, contents) : undefined;
      if (!wrong) return [];
      const where = `block ${block.space} ${formatCidr(block.cidr)} slot ${ordinal}`;
      return [violation(wrong.invariant, `${where} is held, ${wrong.what}`)];
    }),
  );

/** Finds addresses that an instance took from its application, and that the application does not list (I15). */
export const takenViolations = (
  { allocations, applications }: Contents,
  blocks: BlocksByName,
): Violation[] =>
  allocations.flatMap(({ place: { space }, workload, parts }) =>
    parts.flatMap(({ ofApplication, block: cidr, token }) => {
      const block = ofApplication && blocks.get(nameOfBlock(space, cidr));
      if (!block || !workload) return [];
      const hash = applicationHash(workload);
      const own = applications.filter(
        (each) => each.space === space && applicationHash(each) === hash,
      );
      return takenUnder(block, token)
        .filter((ordinal) => !own.some((each) => listedAt(each, addressAt(cidr, ordinal))))
        .map((ordinal) => {
          const where = `block ${space} ${formatCidr(cidr)} slot ${ordinal}`;
          return violation("I15", `${where} is taken from an application that does not list it`);
        });
    }),
  );

/** Returns what is wrong with a held slot; nothing if it is right. */
function wrongIn(
  { space, cidr }: Block,
  ordinal: number,
  held: HeldSlot["seen"],
  { applications, pools }: Contents,
): { readonly invariant: string; readonly what: string } | undefined {
  const address = addressAt(cidr, ordinal);
  const listed = applications
    .filter((each) => each.space === space && applicationHash(each) === held.applicationHash)
    .flatMap((each) => listedAt(each, address) ?? [])[0];
  if (!listed) return { invariant: "I15", what: "and no application lists it" };
  const ofSpace = pools.filter((pool) => pool.space === space);
  const pool = ofSpace.find(({ id }) => id === listed.poolId);
  if (!pool || !includesAddress(servedSetOf(pool), address))
    return { invariant: "I13", what: "and the pool that its application names does not have it" };
  const other = ofSpace
    .filter((each) => isBeside(pool, each) && each.state === "active" && !isForApplications(each))
    .find((each) => includesAddress(addressSetOf(each), address));
  return other && { invariant: "I13", what: `and pool ${other.name} serves it` };
}

/**
 * Finds applications that hold more than their number although nothing is in flight, and addresses that nobody has settled (I15).
 * Addresses beyond the number are in use, so they leave only when they are released.
 */
export const applicationViolationsAtRest = (
  { applications }: Contents,
  blocks: BlocksByName,
): Violation[] =>
  applications.flatMap((application) => {
    const isTaken = ({ address, blockSize }: ListedAddress): boolean => {
      const cidr = blockOf(address, blockSize);
      const slots = blocks.get(nameOfBlock(application.space, cidr))?.slots;
      return slots?.get(ordinalOf(cidr, address))?.kind === "taken";
    };
    const name = `application ${nameOfApplication(application)}`;
    const tooMany = countsOf(application).flatMap(({ target, has, surplus }): Violation[] => {
      const free = membersOf(application, target).filter((each) => !isTaken(each)).length;
      if (surplus === 0 || free === 0) return [];
      const what = `has ${has} addresses of IPv${target.family}, ${free} of them free, and wants ${has - surplus}`;
      return [violation("I15", `${name} ${what}`)];
    });
    const unsettled = application.listed
      .filter((each) => each.state === "named" || (each.state === "leaving" && !isTaken(each)))
      .map(({ address, state }) =>
        violation("tidy", `${name} has ${formatAddress(address)}, which is ${state}`),
      );
    const gone = isGone(application) ? [violation("tidy", `${name} is left, and has nothing`)] : [];
    return [...tooMany, ...unsettled, ...gone];
  });
