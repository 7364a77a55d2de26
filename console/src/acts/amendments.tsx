import { type Api, type Change, segment } from "../api/api.ts";
import type { AddressRead, Answer } from "../api/types.ts";
import { Moment } from "../parts/moment.tsx";
import { type Act, type ActsOfPage, attributesIn, type Input, InvalidInput } from "./act.ts";
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

const linesFor = (attributes: Attributes = {}) =>
  Object.entries(attributes)
    .map((pair) => pair.join("="))
    .join("\n");

function changeOwners(api: Api, address: AddressRead, generation: string): Act {
  const { address: ip, owner = {} } = address;
  const owners = { active: linesFor(owner.active), alternate: linesFor(owner.alternate) };
  /** Returns what an owner is to be; nothing for one that stays, so that others may change that one. */
  const sideIn = (input: Input, side: "active" | "alternate"): Attributes | null | undefined => {
    const attributes = Object.fromEntries(attributesIn(input, side));
    if (linesFor(attributes) === owners[side]) return undefined;
    return Object.keys(attributes).length === 0 ? null : attributes;
  };
  const requestOf = (input: Input) => {
    const active = sideIn(input, "active");
    const alternate = sideIn(input, "alternate");
    if (active === undefined && alternate === undefined)
      throw new InvalidInput("You have changed nothing.");
    const changed = {
      ...(active !== undefined && { active }),
      ...(alternate !== undefined && { alternate }),
    };
    return changeOf(address, generation, { owner: changed });
  };
  const textOf = (input: Input) =>
    Object.fromEntries(
      SIDES.map(([side, label]) => [
        label,
        attributesIn(input, side)
          .map((pair) => pair.join("="))
          .join(", "),
      ]),
    );
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
      initial: owners[side],
      hint: "One attribute per line, such as pod=web-0. Empty: no such owner",
    })),
    async preview(input) {
      requestOf(input);
      return <Difference before={textOf(owners)} after={textOf(input)} />;
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
  const requestOf = ({ leaseSeconds = "" }: Input) => {
    if (!/^\d+$/.test(leaseSeconds.trim()))
      throw new InvalidInput("Enter a whole number of seconds.", "leaseSeconds");
    return changeOf(address, generation, { leaseSeconds: Number(leaseSeconds) });
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
