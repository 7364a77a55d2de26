import type { Part } from "../domain/allocation.ts";
import { formatCidr } from "../domain/cidr.ts";
import { listOf, numberOf, textOf } from "./attribute.ts";
import type { Value } from "./item.ts";
import { cidrText } from "./text.ts";

/** Returns a part of an allocation as an entry of its item. */
export const partItem = ({ token, block, count, ordinals, ...rest }: Part) => {
  const { pool, interface: of, ofApplication, coolsAgain } = rest;
  const item = {
    block: formatCidr(block),
    count,
    ordinals,
    ...(pool !== undefined && { pool }),
    ...(of !== undefined && { interface: of }),
    ...(ofApplication && { ofApplication }),
    ...(coolsAgain && { coolsAgain }),
  };
  return [token, item] as const;
};

/** Inverse of `partItem`. */
export function partFrom([token, value]: readonly [string, Value]): Part {
  const part = value as Readonly<Record<string, Value>>;
  return {
    token,
    block: cidrText(part.block),
    count: numberOf(part, "count"),
    ordinals: listOf(part, "ordinals") as readonly number[],
    ...(part.pool !== undefined && { pool: textOf(part, "pool") }),
    ...(part.interface !== undefined && { interface: textOf(part, "interface") }),
    ...(part.ofApplication === true && { ofApplication: true }),
    ...(part.coolsAgain === true && { coolsAgain: true }),
  };
}
