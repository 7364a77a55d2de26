import { isRejection, type PlatClient } from "../../client/index.ts";
import { prefixHandle } from "../../kernel/values/handle.ts";
import { Refused } from "./event.ts";
import {
  checkHeld,
  heldIn,
  isMade,
  isOf,
  resourceAttributesOf,
  resourceHandleOf,
  untilComplete,
} from "./held.ts";
import type { ResourceKind, ResourceWanted } from "./kind.ts";

/** The properties whose change means another prefix. */
const REPLACING = ["Pool", "Family", "Cidr"];

/** One prefix of a pool with `assign: "prefixes"`. */
export const PREFIX_RESOURCE: ResourceKind = {
  type: "Custom::PlatPrefix",

  nameOf: (properties, owner) => resourceHandleOf(properties, owner, REPLACING),

  async ensure({ plat }, wanted, key) {
    checkHeld(await heldBy(plat, wanted.name), wanted, REPLACING);
    const cidr = await assign(plat, wanted, key);
    // Another resource may have taken the handle since the first check: the limit then gives its prefix.
    if (!isMade(wanted.name, wanted.owner))
      checkHeld(await heldBy(plat, wanted.name), wanted, REPLACING);
    return { Handle: wanted.name, Cidr: cidr };
  },

  async release({ plat }, handle, owner) {
    const held = (await heldBy(plat, handle)).filter((one) => isOf(one, owner));
    const named = isMade(handle, owner) ? [{}] : held.map(({ cidr }) => ({ cidr }));
    for (const each of named)
      await untilComplete(async () => {
        const body = { handle, ...each };
        return (await plat.releasePrefixes({ body, isRepeatable: true })).body.complete;
      });
  },
};

async function assign(plat: PlatClient, wanted: ResourceWanted, key: string): Promise<string> {
  const { name: handle, properties } = wanted;
  const { Pool = "", Family, Cidr: cidr } = properties;
  const family = Family === "6" ? 6 : 4;
  // A limit excludes a specific prefix, of which there is one.
  const which = cidr === undefined ? ({ family, limitPerHandle: 1 } as const) : { cidr };
  const attributes = resourceAttributesOf(wanted, REPLACING);
  const body = { handle, pools: [Pool], attributes, ...which };
  try {
    const { body: answer } = await plat.assignPrefix({ idempotencyKey: key, body });
    const [prefix] = "prefixes" in answer ? answer.prefixes : [];
    if (prefix) return prefix.cidr;
  } catch (error) {
    // An earlier event of this version assigned it.
    const isOwn =
      isRejection(error, "already_assigned") && error.problem.assignedTo === prefixHandle(handle);
    if (isOwn && cidr !== undefined) return cidr;
    throw error;
  }
  throw new Refused(`Plat assigned no prefix to ${handle}.`);
}

const heldBy = (plat: PlatClient, handle: string) =>
  heldIn(plat.pages.listPrefixes({ handle }), ({ prefixes }) => prefixes);
