import type { PageWanted } from "../../base/listed.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { Address } from "../../net/address.ts";
import {
  address,
  codec,
  family,
  flag,
  id,
  list,
  number,
  optional,
  record,
  revised,
  text,
  textAmong,
  texts,
  via,
} from "../../table/codec.ts";
import { pageOf, readEach } from "../../table/format.ts";
import { applicationKey, applicationsPk, spaceIn, unescaped } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import {
  type AddressesWanted,
  APPLICATION_STATES,
  type Application,
  type ApplicationName,
  applicationNamed,
  assertApplication,
  LISTED_STATES,
  type ListedAddress,
  type Ordinals,
  type Target,
} from "./application.ts";

/** The calls for applications. Each method is one call to the database. */
export function applicationItems(table: Table) {
  const applications = revised(table, APPLICATION);
  return {
    /** Returns an application, if there is one, strongly consistent. @throws {CorruptItemError} */
    async readApplication(space: string, of: ApplicationName): Promise<Application | undefined> {
      const item = await table.get(applicationKey(space, of));
      return item && applicationFrom(item);
    },

    /**
     * Returns the first `limit` applications of a space, or those after one, by
     * `nameOfApplication`. The answer names unreadable ones beside the others.
     */
    async listApplications(space: string, wanted: PageWanted<string>) {
      const { items, next } = await pageOf(table, applicationsPk(space), wanted);
      return { ...readEach(items, applicationFrom), next };
    },

    createApplication: (application: Application) =>
      applications.create("create-application", "application-absent", application),

    /** Changes an application if its revision is the one seen. `step` names the step of the protocol. */
    changeApplication: applications.change,

    deleteApplication: (seen: Application): Promise<Outcome<unknown>> =>
      applications.remove("delete-application", seen),
  };
}

/** Listed addresses with all that they have in common, so that each costs only its own text. */
interface Alike extends Omit<ListedAddress, "address"> {
  readonly addresses: readonly Address[];
}

function alikeIn(listed: readonly ListedAddress[]): readonly Alike[] {
  const groups = new Map<string, Alike & { addresses: Address[] }>();
  for (const { address, ...alike } of listed) {
    const name = JSON.stringify([alike.interface, alike.poolId, alike.state]);
    const group = groups.get(name) ?? { ...alike, addresses: [] };
    group.addresses.push(address);
    groups.set(name, group);
  }
  return [...groups.values()];
}

const listedIn = (groups: readonly Alike[]): readonly ListedAddress[] =>
  groups.flatMap(({ addresses, ...alike }) => addresses.map((address) => ({ address, ...alike })));

const APPLICATION = codec<Application, "space" | keyof ApplicationName>({
  key: ({ space, ...of }) => applicationKey(space, of),
  named: (key) => ({ space: spaceIn(key), ...applicationNamed(unescaped(key.sk)) }),
  attributes: {
    state: textAmong(APPLICATION_STATES),
    replicas: number,
    start: number,
    addresses: optional(
      record<AddressesWanted>({
        number: text,
        keep: flag,
        interfaces: list(record({ name: text, pools: texts })),
      }),
    ),
    targets: list(record<Target>({ interface: text, family, poolIds: texts })),
    listed: via(
      list(
        record<Alike>({
          interface: text,
          poolId: id,
          blockSize: number,
          state: textAmong(LISTED_STATES),
          addresses: list(address),
        }),
      ),
      alikeIn,
      listedIn,
    ),
    ordinals: list(record<Ordinals>({ first: number, end: number })),
    revision: id,
  },
  assert: assertApplication,
});
export const applicationFrom = APPLICATION.from;
