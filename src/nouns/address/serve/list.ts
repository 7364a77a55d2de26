import * as v from "valibot";
import { addressInCursor, openCursor, sealCursor } from "../../../api/http/cursor.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseQuery, renamed } from "../../../api/http/parameters.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { invalid } from "../../../api/schema/problem.ts";
import { checked } from "../../../api/schema/schema.ts";
import { hostId } from "../../../kernel/values/host.ts";
import { formatAddress } from "../../../net/address.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { ATTRIBUTE_PREFIX, addressListQuery } from "../contract/search-request.ts";
import type {
  AddressesFound,
  AddressSearch,
  SearchPosition,
} from "../operations/list-addresses.ts";
import { ownedBody } from "./answer.ts";
import { handlePosition, positionBody } from "./handle.ts";

const { attributes: attributesOf, ...OTHERS } = addressListQuery;

const addressPosition = v.union([
  v.object({
    ...handlePosition.entries,
    handleHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
  }),
  v.strictObject({ place: v.optional(v.string()), after: addressInCursor }),
]);

/** Parses which addresses a request lists. */
export function parseAddressList(event: Event): AddressSearch {
  const query = parseQuery(withoutAttributes(event), OTHERS);
  const attributes = parseAttributeFilters(event);
  const { host, affinityType, cursor, ...asked } = query;
  if (host === undefined && affinityType !== undefined)
    throw invalid({ field: "?affinityType", value: affinityType, problem: "needs a host" });
  const wanted = {
    ...asked,
    attributes,
    ...(host !== undefined && { host: hostId(affinityType ?? "host", host) }),
  };
  const position = asked.handle === undefined ? addressPosition : handlePosition;
  return { ...wanted, ...openCursor(cursor, listOf(wanted), position) };
}

/** Parses the parameters `attribute.KEY`. */
function parseAttributeFilters({ queryStringParameters = {} }: Event) {
  const given = Object.entries(queryStringParameters)
    .filter(([name]) => name.startsWith(ATTRIBUTE_PREFIX))
    .map(([name, value]) => [name.slice(ATTRIBUTE_PREFIX.length), value]);
  const asParameter = (field: string) => `?${ATTRIBUTE_PREFIX}${field}`;
  return renamed(asParameter, () => checked(attributesOf, Object.fromEntries(given), "KEY")) ?? {};
}

const withoutAttributes = ({ queryStringParameters = {}, ...event }: Event): Event => ({
  ...event,
  queryStringParameters: Object.fromEntries(
    Object.entries(queryStringParameters).filter(([name]) => !name.startsWith(ATTRIBUTE_PREFIX)),
  ),
});

export function addressListAnswer(
  { items, unreadable, next, read }: AddressesFound,
  requestId: string,
  search: AddressSearch,
): AnswerOf<"GET /v1/addresses"> {
  return {
    status: 200,
    body: {
      requestId,
      addresses: items.map(ownedBody),
      read,
      ...unreadableBody(unreadable),
      ...(next && { next: cursorAt(search, next) }),
    },
  };
}

/** Returns the cursor of a search at a position. */
export const cursorAt = (search: AddressSearch, position: SearchPosition): string =>
  sealCursor(listOf(search), inCursor(position));

const inCursor = (position: SearchPosition) =>
  "id" in position ? positionBody(position) : { ...position, after: formatAddress(position.after) };

/** Identifies the list of a cursor. */
const listOf = ({ space, pool, host, handle, owner, attributes, state, cidr }: Filters) => [
  ...["addresses", space, pool ?? null, host ?? null, handle ?? null, owner ?? null],
  Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)),
  state ?? null,
  cidr ? formatCidr(cidr) : null,
];

type Filters = Omit<AddressSearch, "limit" | "position">;
