import { type Family, formatAddress, parseAddress } from "../domain/address.ts";
import {
  APPLICATION_STATES,
  type Application,
  type ApplicationName,
  applicationNamed,
  assertApplication,
  LISTED_STATES,
  type ListedAddress,
  type Ordinals,
  type Target,
} from "../domain/application.ts";
import type { PageWanted } from "../domain/listed.ts";
import type { Outcome } from "../domain/outcome.ts";
import { flagOf, idOf, listOf, mapOf, numberOf, oneOf, textOf } from "./attribute.ts";
import { equals } from "./clause.ts";
import { reading } from "./format.ts";
import type { Item, Value } from "./item.ts";
import { applicationKey, applicationsPk, unescaped } from "./key.ts";
import { pageOf, readEach } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";

/** The calls for applications. Each method is one call to the database. */
export function applicationItems(table: Table) {
  const applications = revised(table, itemFrom, applicationFrom);
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

    async deleteApplication(seen: Application): Promise<Outcome<unknown>> {
      const when = [equals("delete-application-rev", seen.revision, "revision")];
      const key = applicationKey(seen.space, seen);
      return table.write({ step: "delete-application", key, when, change: { kind: "delete" } });
    },
  };
}

function itemFrom(application: Application): Item {
  assertApplication(application);
  const { space, state, replicas, start, addresses, targets, ordinals, revision } = application;
  return {
    ...applicationKey(space, application),
    state,
    replicas,
    start,
    ...(addresses && {
      addresses: {
        number: addresses.number,
        keep: addresses.keep,
        interfaces: addresses.interfaces.map(({ name, pools }) => ({ name, pools })),
      },
    }),
    targets: targets.map(({ interface: of, family, poolIds }) => ({
      interface: of,
      family,
      poolIds,
    })),
    listed: listedItem(application.listed),
    ordinals: ordinals.map(({ first, end }) => ({ first, end })),
    revision,
  };
}

/** Returns listed addresses by what they have in common, so that each costs only its own text. */
function listedItem(listed: readonly ListedAddress[]): Value {
  const groups = new Map<string, Omit<ListedAddress, "address"> & { addresses: string[] }>();
  for (const { address, ...alike } of listed) {
    const name = JSON.stringify([alike.interface, alike.poolId, alike.state]);
    const group = groups.get(name) ?? { ...alike, addresses: [] };
    group.addresses.push(formatAddress(address));
    groups.set(name, group);
  }
  return [...groups.values()].map((group) => ({ ...group }));
}

export const applicationFrom = reading((item: Item): Application => {
  const [, space = ""] = item.pk.split("#").map(unescaped);
  const addresses = item.addresses === undefined ? undefined : mapOf(item, "addresses");
  return {
    space,
    ...applicationNamed(unescaped(item.sk)),
    state: oneOf(item, "state", APPLICATION_STATES),
    replicas: numberOf(item, "replicas"),
    start: numberOf(item, "start"),
    ...(addresses && {
      addresses: {
        number: textOf(addresses, "number"),
        keep: flagOf(addresses, "keep"),
        interfaces: maps(addresses, "interfaces").map((of) => ({
          name: textOf(of, "name"),
          pools: listOf(of, "pools") as readonly string[],
        })),
      },
    }),
    targets: maps(item, "targets").map(
      (target): Target => ({
        interface: textOf(target, "interface"),
        family: numberOf(target, "family") as Family,
        poolIds: listOf(target, "poolIds") as readonly string[],
      }),
    ),
    listed: maps(item, "listed").flatMap(listedFrom),
    ordinals: maps(item, "ordinals").map(
      (run): Ordinals => ({ first: numberOf(run, "first"), end: numberOf(run, "end") }),
    ),
    revision: idOf(item, "revision"),
  };
}, assertApplication);

type Attributes = Readonly<Record<string, Value>>;

const maps = (item: Attributes, name: string): readonly Attributes[] =>
  listOf(item, name) as readonly Attributes[];

function listedFrom(some: Attributes): ListedAddress[] {
  const alike = {
    interface: textOf(some, "interface"),
    poolId: idOf(some, "poolId"),
    blockSize: numberOf(some, "blockSize"),
    state: oneOf(some, "state", LISTED_STATES),
  };
  return listOf(some, "addresses").map((text) => {
    const address = parseAddress(text as string);
    if (!address.ok) throw new Error(`it lists an address that ${address.problem}`);
    return { address: address.value, ...alike };
  });
}
