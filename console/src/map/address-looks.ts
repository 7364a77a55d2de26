import type { AddressState, BlockRead } from "../api/types.ts";
import { addressText, part, readCidr } from "../network/cidr.ts";
import { styled } from "./colours.ts";
import { type Grid, tileAt, tilesOf } from "./grid.ts";
import type { Looks } from "./looks.ts";

/** The states of an address that is not free. */
export const ADDRESS_STATES = [
  "assigned",
  "kept",
  "held",
  "cooling",
  "quarantined",
  "hostReserved",
] as const satisfies readonly AddressState[];

type AddressInBlock = BlockRead["addresses"][number];

/** Returns the addresses of a block that are not free, in order: those of its slots, and those that its host reserves at both ends. */
export function notFreeIn({
  cidr,
  addresses,
  hostReservation,
}: Pick<BlockRead, "cidr" | "addresses" | "hostReservation">): readonly AddressInBlock[] {
  const block = readCidr(cidr);
  if (!block || !hostReservation) return addresses;
  const { start, end, handle } = hostReservation;
  const size = 2 ** (block.bits - block.length);
  const taken = new Map(addresses.map((each) => [each.address, each]));
  return Array.from({ length: size }, (_, ordinal) => ordinal).flatMap(
    (ordinal): readonly AddressInBlock[] => {
      const address = addressText(part(block, block.bits, ordinal));
      const isReserved = ordinal < start || ordinal >= size - end;
      const known = taken.get(address);
      if (known) return [known];
      return isReserved ? [{ address, state: "hostReserved", ...(handle && { handle }) }] : [];
    },
  );
}

/** More tiles than these have no room for text. */
const NAMED_TILES_MAX = 1_024;

/** Returns the looks of the addresses of a block. */
export function addressLooks(
  grid: Grid,
  addressAt: (index: number) => AddressInBlock | undefined,
): Looks {
  const colours = Object.fromEntries(
    ADDRESS_STATES.map((state) => [
      state,
      { colour: styled(`--is-${state}`), ink: styled(`--is-${state}-ink`) },
    ]),
  );
  const isNamed = tilesOf(grid) <= NAMED_TILES_MAX;
  const free = { colour: styled("--unclaimed"), ink: styled("--soft") };
  return {
    nothing: free,
    look(index) {
      const address = addressAt(index);
      if (!address && !isNamed) return undefined;
      const text = addressText(tileAt(grid, index));
      const look = colours[address?.state ?? ""] ?? free;
      // The last part of an address tells it from its neighbours; the whole is in the sentence below the map.
      const title = grid.shown.bits === 128 ? text.replace(/^.*:(?=.*)/, "…:") : text;
      const subtitle = address?.handle?.split(/[/.]/).at(-1);
      return { ...look, title, ...(subtitle !== undefined && { subtitle }) };
    },
  };
}
