import { expect, it } from "vitest";
import { NAMESPACE_CHARACTERS_MAX, SPACE_CHARACTERS_MAX } from "../../src/api/schema/field.ts";
import { HOST_RESERVED_MAX, NOTE_CHARACTERS_MAX } from "../../src/api/schema/host-reserved.ts";
import { LABELS_CHARACTERS_MAX } from "../../src/api/schema/labels.ts";
import {
  ITEM_BYTES_MAX,
  LABELS_MAX,
  NAME_CHARACTERS_MAX,
  POOLS_PER_REQUEST_MAX,
  PRINCIPAL_CHARACTERS_MAX,
  RESERVED_CIDRS_MAX,
  UNREADABLE_CHARACTERS_MAX,
} from "../../src/base/limits.ts";
import { CorruptItemError } from "../../src/base/outcome.ts";
import { hostId } from "../../src/kernel/values/host.ts";
import { SELECTOR_CHARACTERS_MAX } from "../../src/net/selector.ts";
import { JOB_GROUPS_TO_COME_BACK_TO_MAX } from "../../src/nouns/job/job.ts";
import { planBytes } from "../../src/nouns/pool/address-plan.ts";
import {
  DNS_SERVERS_MAX,
  MTU_BYTES_MAX,
  POOL_LABELS_CHARACTERS_MAX,
} from "../../src/nouns/pool/contract/request.ts";
import {
  CONDITION_NAMES_MAX,
  POOL_PRINCIPALS_MAX,
  VLAN_ID_MAX,
} from "../../src/nouns/pool/limits.ts";
import { SETTINGS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import { makeStore } from "../../src/store/stack.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import {
  address,
  blockWith,
  interval,
  jobWith,
  network,
  poolWith,
  selector,
  taken,
  token,
} from "../builders.ts";
import { itemBytes } from "./item-bytes.ts";

type Store = ReturnType<typeof makeStore>;

const SPACE = "s".repeat(SPACE_CHARACTERS_MAX);
const NAME = "p".repeat(NAME_CHARACTERS_MAX);
const NAMES = Array.from({ length: POOLS_PER_REQUEST_MAX }, () => NAME);
/** A character with three bytes of UTF-8, the maximum of one UTF-16 code unit. */
const WIDE = "€";
const REASON_CHARACTERS_MAX = 1_024;
const LONG = address("1111:2222:3333:4444:5555:6666:7777:8888");
const LONG_ADDRESS = "1111:2222:3333:4444:5555:6666:123.123.123.123";
const id = token(1);
const longSelector = {
  text: `a == "${WIDE.repeat(SELECTOR_CHARACTERS_MAX - 7)}"`,
  selector: selector("all()"),
};
/** The maximum number of names in a condition, of the maximum length. */
const namesOf = (charactersMax: number): readonly string[] =>
  Array.from({ length: CONDITION_NAMES_MAX }, () => "n".repeat(charactersMax));
/** The maximum number of block groups that a job remembers. */
const GROUPS = Array.from({ length: JOB_GROUPS_TO_COME_BACK_TO_MAX }, () => 1n << 116n);
/** The maximum number of labels, with the maximum number of characters in all. */
const LABELS = Object.fromEntries(
  Array.from({ length: LABELS_MAX }, (_, n) => [
    String(n).padStart(LABELS_CHARACTERS_MAX / LABELS_MAX, "a"),
    "",
  ]),
);
const counts = { groups: 2 ** 52, blocks: 2 ** 52, deleted: 2 ** 52, taken: 2 ** 52, cooling: 1 };

it.each<readonly [string, (store: Store) => Promise<unknown>]>([
  ["settings", (store) => store.putSettings(SPACE, SETTINGS_DEFAULT, id, undefined)],
  [
    "a pool",
    (store) =>
      store.putPool(
        poolWith({
          space: SPACE,
          name: NAME,
          nodeSelector: longSelector,
          namespaceSelector: longSelector,
          podSelector: longSelector,
          nodeNames: namesOf(NAME_CHARACTERS_MAX),
          namespaceNames: namesOf(NAMESPACE_CHARACTERS_MAX),
          networks: namesOf(NAMESPACE_CHARACTERS_MAX + 1 + NAME_CHARACTERS_MAX),
          principals: Array.from({ length: POOL_PRINCIPALS_MAX }, () =>
            "p".repeat(PRINCIPAL_CHARACTERS_MAX),
          ),
          kind: "subnet",
          prefixLength: 32,
          dns: Array.from({ length: DNS_SERVERS_MAX }, () => LONG),
          domain: NAME,
          vlan: VLAN_ID_MAX,
          mtu: MTU_BYTES_MAX,
          labels: { a: "v".repeat(POOL_LABELS_CHARACTERS_MAX) },
        }),
        undefined,
      ),
  ],
  [
    "a reservation",
    (store) =>
      store.putReservation(
        {
          space: SPACE,
          name: NAME,
          cidrs: Array.from(
            { length: RESERVED_CIDRS_MAX },
            () => `${LONG_ADDRESS}-${LONG_ADDRESS}`,
          ),
          intervals: [interval("10.0.0.0")],
          reason: WIDE.repeat(REASON_CHARACTERS_MAX),
          revision: id,
        },
        undefined,
      ),
  ],
  [
    "a node",
    (store) => store.createNode({ space: SPACE, name: NAME, id, labels: LABELS, revision: id }),
  ],
  [
    "a namespace",
    (store) =>
      store.createNamespace({
        space: SPACE,
        name: NAME,
        labels: LABELS,
        defaultPools: { 4: NAMES, 6: NAMES },
        revision: id,
      }),
  ],
  [
    "a page of a block-group index",
    async (store) => {
      const last = (1n << 116n) - 1n;
      for (let group = last - 127n; group <= last; group++) {
        await store.addGroup(SPACE, id, group);
        await store.markFull(SPACE, id, group);
      }
    },
  ],
  [
    "a job that waits for what cannot be read",
    (store) => {
      const { message } = new CorruptItemError(
        { item: NAME },
        `says "${WIDE.repeat(ITEM_BYTES_MAX / 4)}"`,
      );
      return store.createJob(
        jobWith({
          space: SPACE,
          pool: NAME,
          detail: message,
          walk: {
            ...{ ...counts, beganAtMs: 1, position: 1n << 116n, unreadable: message },
            ...{ failed: message, passedBy: 9_999, toComeBackTo: GROUPS, only: GROUPS },
          },
          lastWalk: { ...counts, unreadable: message, failed: message, passedBy: 9_999 },
        }),
      );
    },
  ],
  [
    "a full block of the largest size",
    (store) =>
      store.createBlock(
        blockWith(Object.fromEntries(Array.from({ length: 4_096 }, (_, n) => [n, taken()])), {
          space: SPACE,
          cidr: network("2001:db8:1111:2222:3333:4444:5555:6000/116"),
          pool: NAME,
          host: hostId("host", NAME),
          hostReserved: {
            start: HOST_RESERVED_MAX,
            end: 0,
            handle: WIDE.repeat(NAME_CHARACTERS_MAX),
            note: WIDE.repeat(NOTE_CHARACTERS_MAX),
          },
        }),
      ),
  ],
])("%s at its largest has room in an item", async (_, put) => {
  const table = new InMemoryTable();
  await put(makeStore(table));
  const sizes = table.items().map((item) => itemBytes(item as Item));
  expect(sizes).toHaveLength(1);
  for (const size of sizes) expect(size).toBeLessThan(ITEM_BYTES_MAX);
});

it.each([1, NAME_CHARACTERS_MAX])(
  "no plan is larger than it was counted, with names of %i",
  async (n) => {
    const pool = "p".repeat(n);
    const table = new InMemoryTable();
    const entries = Array.from({ length: 1_000 }, (_, n) => ({
      pool,
      id,
      cidr: network(`2001:db8:1111:2222:3333:4444:5555:${(0x6000 + n).toString(16)}/128`),
      blockSize: 128,
    }));
    await makeStore(table).changePlan({ space: SPACE, entries: [] }, entries, id);
    const [size = 0] = table.items().map((item) => itemBytes(item as Item));
    expect(size).toBeLessThanOrEqual(planBytes(entries));
    expect(size).toBeGreaterThan(0.9 * planBytes(entries));
  },
);

it("a reason that quotes an item is cut", () => {
  const { why } = new CorruptItemError({ item: "block 10.0.0.0" }, "x".repeat(9_999));
  expect(why.length).toBeLessThanOrEqual(UNREADABLE_CHARACTERS_MAX);
});
