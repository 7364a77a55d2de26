import * as v from "valibot";
import { next, problemCode, unreadableItems, whole, written } from "../../../api/answer-parts.ts";
import { type AnswerField, schemasOf, telling, told } from "../../../api/noun.ts";
import { compareAddresses, formatAddress } from "../../../net/address.ts";
import { type AddressesWanted, type Application, LISTED_STATES } from "../application.ts";
import { isComplete, type Unfinished, unfinishedOf } from "../changes.ts";

export const applicationInterface = v.strictObject({
  name: v.string(),
  pools: v.array(v.string()),
});

const wanted = telling<AddressesWanted>();

/** The fields of the addresses that an application wants: the pools of its only interface, or its interfaces. */
const ADDRESSES = {
  number: wanted(v.string(), ({ number }) => number),
  pools: wanted(v.optional(v.array(v.string())), (addresses) => onlyOf(addresses)?.pools),
  interfaces: wanted(v.optional(v.array(applicationInterface)), (addresses) =>
    onlyOf(addresses) ? undefined : addresses.interfaces,
  ),
  keep: wanted(v.boolean(), ({ keep }) => keep),
} satisfies Readonly<Record<keyof AddressesWanted | "pools", AnswerField<AddressesWanted>>>;

/** Returns the interface without a name, which stands for the only one of an instance. */
const onlyOf = ({ interfaces }: AddressesWanted) => interfaces.find(({ name }) => name === "");

export const applicationAddresses = v.strictObject(schemasOf(ADDRESSES));

export const applicationMember = v.strictObject({
  address: v.string(),
  interface: v.optional(v.string()),
  state: v.pipe(
    v.picklist(LISTED_STATES),
    v.description(
      "`named`: about to be held. `in`: held, or assigned to an instance. `leaving`: goes when no instance has it",
    ),
  ),
});

export const unfinishedApplication = v.strictObject({
  code: v.optional(problemCode),
  detail: v.string(),
});

/** An application, and why its last change could not go on, if it could not. */
export interface Whole extends Application {
  readonly unfinished: Unfinished | undefined;
}

const tell = telling<Whole>();

/** The fields of an application. */
const WHOLE = {
  namespace: tell(v.string(), ({ namespace }) => namespace),
  kind: tell(v.string(), ({ kind }) => kind),
  name: tell(v.string(), ({ name }) => name),
  replicas: tell(whole, ({ replicas }) => replicas),
  start: tell(whole, ({ start }) => start),
  addresses: tell(
    v.optional(applicationAddresses),
    ({ addresses }) => addresses && told(ADDRESSES, addresses),
  ),
  state: tell(
    v.optional(
      v.pipe(
        v.picklist(["retained", "deleting"]),
        v.description(
          "`retained`: deleted, and its addresses are kept. `deleting`: its addresses go. Absent otherwise",
        ),
      ),
    ),
    ({ state }) => (state === "active" ? undefined : state),
  ),
  members: tell(v.array(applicationMember), ({ listed }) =>
    listed
      .toSorted(
        (a, b) => a.interface.localeCompare(b.interface) || compareAddresses(a.address, b.address),
      )
      .map(({ address, interface: of, state }) => ({
        address: formatAddress(address),
        ...(of !== "" && { interface: of }),
        state,
      })),
  ),
  complete: tell(
    v.pipe(v.boolean(), v.description("Whether it has its number, and nothing that must go")),
    (application) => isComplete(application),
  ),
  refusal: tell(
    v.optional(unfinishedApplication),
    ({ unfinished, ...application }) => unfinished ?? unfinishedOf(application),
  ),
} satisfies Readonly<
  Record<
    | Exclude<keyof Application, "space" | "targets" | "listed" | "ordinals" | "revision">
    | "members"
    | "complete"
    | "refusal",
    AnswerField<Whole>
  >
>;

const application = schemasOf(WHOLE);

/** Returns an application as answers write it. @param unfinished why its last change could not go on, if it could not */
export const applicationOf = (application: Application, unfinished?: Unfinished) =>
  told(WHOLE, { ...application, unfinished });

export const applicationRead = v.strictObject(application);

export const applicationsRead = v.strictObject({
  applications: v.array(applicationRead),
  unreadable: unreadableItems,
  next,
});

export const applicationWritten = v.strictObject({ ...application, ...written });

export const applicationDeleted = v.strictObject({
  released: v.pipe(v.array(v.string()), v.description("The addresses that went")),
  left: v.pipe(whole, v.description("The number of addresses that are still listed")),
  ...written,
});
