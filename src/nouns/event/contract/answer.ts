import * as v from "valibot";
import { attributes, CALLER, family, ownership, time } from "../../../api/answer-parts.ts";
import { EVENT_TYPES, type EventType } from "../../../base/event-type.ts";
import { owner } from "../../address/contract/answer.ts";
import { poolFields } from "../../pool/contract/answer.ts";
import { THRESHOLDS_PERCENT } from "../../utilization/pool-usage.ts";

/** The schemas of the events that Plat publishes: on the bus, in the histories, and to programs that poll. */

const common = (type: EventType) => ({
  id: v.pipe(v.string(), v.description("The same in each delivery of the event")),
  type: v.pipe(v.literal(type), v.description("The type of the event")),
  at: v.pipe(time, v.description("When it happened. The table rounds it down to a second")),
  sequence: v.pipe(
    v.string(),
    v.regex(/^\d{40}$/),
    v.description(
      "The number of the change. Of two changes of an address in one stream the later has the greater number. The events of one change have the same",
    ),
  ),
  space: v.string(),
  principal: v.optional(
    v.pipe(
      v.string(),
      v.description(
        `The caller (${CALLER}), or the name of a function of Plat. Absent if the item names nobody`,
      ),
    ),
  ),
  requestId: v.optional(v.pipe(v.string(), v.description("Finds the request in the log"))),
  sourceIp: v.optional(v.pipe(v.string(), v.description("Absent if Plat acts by itself"))),
  leftOut: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description("The fields for which the bus had no room. Histories and polls have them"),
    ),
  ),
});

const place = { address: v.string(), family, block: v.string(), pool: v.string() };

const prefixPlace = {
  address: v.pipe(v.string(), v.description("The prefix, as a CIDR")),
  family,
  pool: v.string(),
};

/** The owner of an address. Without a handle, Plat no longer knows it. */
const owned = {
  handle: v.optional(v.string()),
  handleHash: v.optional(
    v.pipe(
      v.string(),
      v.description("The hash of the handle, in an event whose owner Plat no longer knows"),
    ),
  ),
  workload: ownership.workload,
  host: ownership.host,
  borrowed: ownership.borrowed,
  attributes: v.optional(attributes),
  assignedBy: v.optional(
    v.pipe(v.string(), v.description("The principal that requested the address")),
  ),
  owner: v.optional(owner),
  generation: ownership.generation,
  interface: ownership.interface,
  assignedAt: v.optional(time),
  expiresAt: v.optional(time),
};

const reason = v.pipe(
  v.picklist(["released", "expired", "conflict", "held", "withdrawn"]),
  v.description(
    "Why nobody has the address any more. `held`: it waits for the next instance of its application. `withdrawn`: nobody was told of it",
  ),
);

/** The fields of an address that can change. */
const changing = v.strictObject({
  state: v.optional(ownership.state),
  host: ownership.host,
  workload: ownership.workload,
  attributes: v.optional(attributes),
  owner: v.optional(owner),
});

const poolBefore = v.pipe(
  v.partial(v.strictObject(poolFields)),
  v.description("The changed fields as they were"),
);
const poolAfter = v.pipe(
  v.partial(v.strictObject(poolFields)),
  v.description("The changed fields as they are"),
);
/** Events that an earlier version wrote do not say so of a pool of addresses. */
const wholePool = { ...poolFields, assign: v.optional(poolFields.assign) };

const threshold = v.nullable(v.picklist(THRESHOLDS_PERCENT));

const ofBlock = { block: v.string(), pool: v.string(), host: v.string() };

/** The schema of each event. */
export const EVENTS = {
  AddressAssigned: v.strictObject({ ...common("AddressAssigned"), ...place, ...owned }),
  AddressChanged: v.strictObject({
    ...common("AddressChanged"),
    address: v.pipe(v.string(), v.description("The address; in a change of a prefix, the prefix")),
    family,
    handle: v.string(),
    before: v.optional(v.pipe(changing, v.description("The changed fields as they were"))),
    after: v.pipe(changing, v.description("The changed fields as they are")),
  }),
  AddressReleased: v.strictObject({ ...common("AddressReleased"), ...place, ...owned, reason }),
  AddressExpired: v.strictObject({ ...common("AddressExpired"), ...place, ...owned }),
  AddressConflict: v.strictObject({ ...common("AddressConflict"), ...place, ...owned }),
  PrefixAssigned: v.strictObject({ ...common("PrefixAssigned"), ...prefixPlace, ...owned }),
  PrefixReleased: v.strictObject({ ...common("PrefixReleased"), ...prefixPlace, ...owned, reason }),
  BlockClaimed: v.strictObject({ ...common("BlockClaimed"), ...ofBlock }),
  BlockReleased: v.strictObject({ ...common("BlockReleased"), ...ofBlock }),
  PoolCreated: v.strictObject({ ...common("PoolCreated"), pool: v.string(), ...wholePool }),
  PoolChanged: v.strictObject({
    ...common("PoolChanged"),
    pool: v.string(),
    before: v.optional(poolBefore),
    after: v.optional(poolAfter),
  }),
  PoolDeleted: v.strictObject({ ...common("PoolDeleted"), pool: v.string(), ...wholePool }),
  PoolDrained: v.strictObject({
    ...common("PoolDrained"),
    pool: v.string(),
    job: v.pipe(v.string(), v.description("The id of the job that drained the pool")),
  }),
  PoolThresholdCrossed: v.strictObject({
    ...common("PoolThresholdCrossed"),
    pool: v.string(),
    percentUsed: v.pipe(v.number(), v.description("The use of the pool, in percent")),
    before: v.pipe(
      threshold,
      v.description("The highest threshold that was reached before, in percent; null for none"),
    ),
    after: v.pipe(
      threshold,
      v.description("The highest threshold that is reached now, in percent; null for none"),
    ),
  }),
  PoolExhausted: v.strictObject({
    ...common("PoolExhausted"),
    pool: v.optional(v.pipe(v.string(), v.description("Absent if the pool is gone"))),
  }),
} as const satisfies Readonly<Record<EventType, v.GenericSchema>>;

/** The type of an event in a path. */
export const eventType = v.picklist(EVENT_TYPES);

/** Any event. */
export const event = v.variant("type", [
  EVENTS.AddressAssigned,
  EVENTS.AddressChanged,
  EVENTS.AddressReleased,
  EVENTS.AddressExpired,
  EVENTS.AddressConflict,
  EVENTS.PrefixAssigned,
  EVENTS.PrefixReleased,
  EVENTS.BlockClaimed,
  EVENTS.BlockReleased,
  EVENTS.PoolCreated,
  EVENTS.PoolChanged,
  EVENTS.PoolDeleted,
  EVENTS.PoolDrained,
  EVENTS.PoolThresholdCrossed,
  EVENTS.PoolExhausted,
]);
