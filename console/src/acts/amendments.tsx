import { type Api, type Change, segment } from "../api/api.ts";
import type { AddressRead, Answer } from "../api/types.ts";
import { Moment } from "../parts/moment.tsx";
import {
  type Act,
  type ActsOfPage,
  type Input,
  InvalidInput,
  jsonObjectIn,
  pairsIn,
  wholeIn,
} from "./act.ts";
import { Difference } from "./difference.tsx";

/** Returns the acts that change an assignment and leave its address assigned. */
export const amendments = (api: Api, address: AddressRead, generation: string): ActsOfPage => ({
  owners: changeOwners(api, address, generation),
  ...(address.expiresAt !== undefined && {
    renew: renewLease(api, address, address.expiresAt, generation),
  }),
});

/** The change of an address, if it is still the assignment that was read. */
const changeOf = ({ address }: AddressRead, generation: string, fields: object): Change => ({
  method: "PATCH",
  path: `addresses/${segment(address)}`,
  body: { generation, ...fields },
});

type Attributes = Readonly<Record<string, string>>;

const SIDES = [
  ["active", "Active owner"],
  ["alternate", "Alternate owner"],
] as const;
type Side = (typeof SIDES)[number][0];

const linesFor = (attributes: Attributes) =>
  Object.entries(attributes)
    .map((pair) => pair.join("="))
    .join("\n");

/** Returns true if lines can say the attributes: each value is one line, and no name has a `=`. */
function areLines(attributes: Attributes): boolean {
  try {
    const read = Object.fromEntries(pairsIn(linesFor(attributes)));
    return JSON.stringify(read) === JSON.stringify(attributes);
  } catch {
    return false;
  }
}

/** Returns the text of an owner for a person to edit. */
const textOf = (attributes: Attributes): string =>
  areLines(attributes) ? linesFor(attributes) : JSON.stringify(attributes, null, 1);

const inOneLine = (attributes: Attributes): string =>
  areLines(attributes) ? linesFor(attributes).replaceAll("\n", ", ") : JSON.stringify(attributes);

/** Returns the owner in the text of a field, which is JSON if the owner before was. It throws an `InvalidInput`. */
function ownerIn(text: string, side: Side, before: Attributes): Attributes {
  // A space at an end that was there stays, and one that a person typed or pasted was not meant.
  if (areLines(before))
    return Object.fromEntries(
      pairsIn(text, side).map(([name, value]) => [
        name,
        before[name] === value ? value : value.trim(),
      ]),
    );
  if (text.trim() === "") return {};
  const attributes = Object.entries(jsonObjectIn(text) ?? { "": undefined });
  if (!attributes.every((pair): pair is [string, string] => typeof pair[1] === "string"))
    throw new InvalidInput(`The owner must be a JSON object of texts, ${JSON_HINT}.`, side);
  return Object.fromEntries(attributes);
}

const JSON_HINT = 'such as {"pod": "web-0"}';

function changeOwners(api: Api, address: AddressRead, generation: string): Act {
  const { address: ip, owner = {} } = address;
  const beforeOf = (side: Side): Attributes => owner[side] ?? {};
  /** Returns what an owner is to be; nothing for one that stays, so that others may change that one. */
  const sideIn = (input: Input, side: Side): Attributes | null | undefined => {
    const text = input[side] ?? "";
    const before = beforeOf(side);
    if (text === textOf(before)) return undefined;
    const attributes = ownerIn(text, side, before);
    if (JSON.stringify(attributes) === JSON.stringify(before)) return undefined;
    return Object.keys(attributes).length === 0 ? null : attributes;
  };
  const changesIn = (input: Input): readonly (readonly [Side, Attributes | null])[] => {
    const changes = SIDES.flatMap(([side]) => {
      const wanted = sideIn(input, side);
      return wanted === undefined ? [] : [[side, wanted] as const];
    });
    if (changes.length === 0) throw new InvalidInput("You have changed nothing.");
    return changes;
  };
  const requestOf = (input: Input) =>
    changeOf(address, generation, { owner: Object.fromEntries(changesIn(input)) });
  const told = (sideOf: (side: Side) => Attributes) =>
    Object.fromEntries(SIDES.map(([side, label]) => [label, inOneLine(sideOf(side))]));
  return {
    label: "Change owners",
    title: `Change the owners of ${ip}`,
    verb: "Change",
    intro:
      "The active owner uses the address, and the alternate owner will take it over. The address stays assigned to its handle.",
    fields: SIDES.map(([side, label]) => ({
      name: side,
      label,
      kind: "lines",
      initial: textOf(beforeOf(side)),
      hint: areLines(beforeOf(side))
        ? "One attribute per line, such as pod=web-0. Empty: no such owner"
        : `The attributes as JSON, ${JSON_HINT}. Empty: no such owner`,
    })),
    async preview(input) {
      const changes = new Map(changesIn(input));
      const after = (side: Side) => {
        const wanted = changes.get(side);
        return wanted === undefined ? beforeOf(side) : (wanted ?? {});
      };
      return <Difference before={told(beforeOf)} after={told(after)} />;
    },
    inShell: (input) => ({ request: requestOf(input) }),
    async perform(input) {
      await api.send(requestOf(input));
      return <p>The owners of {ip} are changed.</p>;
    },
  };
}

function renewLease(api: Api, address: AddressRead, expiresAt: string, generation: string): Act {
  const { address: ip } = address;
  const requestOf = (input: Input) => {
    const leaseSeconds = wholeIn(input, "leaseSeconds");
    if (leaseSeconds === undefined)
      throw new InvalidInput("Enter a whole number of seconds.", "leaseSeconds");
    return changeOf(address, generation, { leaseSeconds });
  };
  return {
    label: "Renew the lease",
    title: `Renew the lease of ${ip}`,
    verb: "Renew",
    intro: "All addresses of one request share a lease. Plat releases them when it ends.",
    fields: [
      {
        name: "leaseSeconds",
        label: "Lease, in seconds from now",
        kind: "number",
        isRequired: true,
      },
    ],
    async preview(input) {
      requestOf(input);
      return (
        <p>
          The lease then ends {input.leaseSeconds} s after you press Renew, instead of at{" "}
          <Moment at={expiresAt} />.
        </p>
      );
    },
    inShell: (input) => ({ request: requestOf(input) }),
    async perform(input) {
      const { expiresAt: at } = await api.send<Answer<"amended">>(requestOf(input));
      return (
        <p>
          The lease of {ip} ends at {at !== undefined && <Moment at={at} />}.
        </p>
      );
    },
  };
}
