import { longCharactersOf } from "../../pool/network.ts";
import type { AddressState } from "./read-address.ts";

/** A page of addresses ends when their attributes have this many characters: a function can answer 6 MB. */
const ATTRIBUTE_CHARACTERS_PER_PAGE = 500_000;

/** Collects the addresses of a page, which ends by their number and by the characters of what callers attached to them. */
export function addressPage(limit: number) {
  const items: AddressState[] = [];
  let characters = 0;
  return {
    items,
    get isFull(): boolean {
      return items.length === limit || characters > ATTRIBUTE_CHARACTERS_PER_PAGE;
    },
    add(state: AddressState): void {
      items.push(state);
      const { attributes = {}, owner = {}, network } = state;
      characters += JSON.stringify(attributes).length + JSON.stringify(owner).length;
      if (network) characters += longCharactersOf(network);
    },
  };
}
