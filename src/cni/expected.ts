import * as v from "valibot";
import { formatAddress } from "../domain/address.ts";
import { parsePlainAddress } from "../domain/plain-form.ts";
import { CniError, CODE } from "./error.ts";
import type { Container } from "./invocation.ts";

/** The part of a result that a CHECK compares. */
const result = v.object({
  ips: v.optional(
    v.array(v.object({ address: v.string(), interface: v.optional(v.number()) })),
    [],
  ),
  interfaces: v.optional(
    v.array(v.object({ name: v.string(), sandbox: v.optional(v.string()) })),
    [],
  ),
});

/**
 * Returns the addresses that an ADD gave to an interface, by its result. Addresses of other interfaces may be from other
 * plugins. @throws {CniError} if there is no such result, as CHECK needs one
 */
export function expectedAddresses(prevResult: unknown, { ifName }: Container): readonly string[] {
  const parsed = v.safeParse(result, prevResult);
  if (!parsed.success)
    throw new CniError(
      CODE.invalidConfiguration,
      "prevResult must be the result of the ADD, with its ips.",
    );
  const { ips, interfaces } = parsed.output;
  return ips
    .filter(({ interface: at }) => at === undefined || interfaces[at]?.name === ifName)
    .map(({ address }) => plain(address.replace(/\/.*/, "")));
}

/** Writes an address as Plat does. */
function plain(text: string): string {
  const read = parsePlainAddress(text);
  return read.ok ? formatAddress(read.value) : text;
}
