import * as v from "valibot";
import { cidr, text } from "../../api/schema/field.ts";
import { type HostId, hostId } from "../../kernel/values/host.ts";
import { BITS } from "../../net/address.ts";

/**
 * The parts of Calico's resources that are imported. Other fields are ignored, because each release of Calico adds
 * some. A field that is present must have its type.
 */

/** The number of addresses of the largest block. */
const BLOCK_ADDRESSES_MAX = 4_096;

/** The message for a missing field, and for one that must be an object and is not. */
const REQUIRED = "is required";

const whole = (max: number) => {
  const message = `must be a whole number from 0 to ${max}`;
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(0, message),
    v.maxValue(max, message),
  );
};

const list = <Item extends v.GenericSchema>(item: Item, max: number) =>
  v.pipe(
    v.array(v.unknown(), "must be an array"),
    v.maxLength(max, `must have at most ${max} entries`),
    v.array(item),
  );

const texts = v.record(text, v.string("must be a string"), "must be an object of strings");
const flag = v.boolean("must be true or false");
/** Some releases write the text of a boolean. */
const flagOrText = v.union([flag, v.picklist(["true", "false", ""])], "must be true or false");

const metadata = v.looseObject(
  { name: text, labels: v.nullish(texts), deletionTimestamp: v.nullish(text) },
  REQUIRED,
);

const resource = <Spec extends v.GenericSchema>(spec: Spec) =>
  v.looseObject({ metadata: v.optional(metadata), spec }, REQUIRED);
const named = <Spec extends v.GenericSchema>(spec: Spec) =>
  v.looseObject({ metadata, spec }, REQUIRED);

/** Reads an IPPool. Plat itself rejects unsupported fields in the dry run. */
export const dumpedPool = named(
  v.looseObject(
    {
      cidr,
      blockSize: v.nullish(whole(BITS[6])),
      disabled: v.nullish(flag),
    },
    REQUIRED,
  ),
);

export const dumpedReservation = named(
  v.looseObject({ reservedCIDRs: v.nullish(list(text, 100_000)) }, REQUIRED),
);

export const dumpedConfig = resource(
  v.looseObject(
    {
      strictAffinity: v.nullish(flag),
      autoAllocateBlocks: v.nullish(flag),
      maxBlocksPerHost: v.nullish(whole(2_147_483_647)),
      ipCooldownSeconds: v.nullish(whole(1_200)),
    },
    REQUIRED,
  ),
);

export const labelled = v.looseObject({ metadata }, REQUIRED);

/** Parses `host:node-1`; returns nothing for a block without an owner. */
const affinity = v.pipe(
  v.nullish(
    v.pipe(text, v.regex(/^((host|virtual):.+)?$/, 'must be "host:" or "virtual:" and a name')),
  ),
  v.transform((said): HostId | undefined => (said ? (said as HostId) : undefined)),
);

const attribute = v.looseObject(
  {
    handle_id: v.nullish(text),
    secondary: v.nullish(texts),
    alternateOwnerAttrs: v.nullish(texts),
    /** The former name of the field. */
    alternate: v.nullish(texts),
    releasedAt: v.nullish(text),
  },
  REQUIRED,
);

export const dumpedBlock = resource(
  v.looseObject(
    {
      cidr,
      affinity,
      /** The owner in releases before virtual owners. */
      hostAffinity: v.nullish(text),
      allocations: list(v.nullable(whole(BLOCK_ADDRESSES_MAX - 1)), BLOCK_ADDRESSES_MAX),
      unallocated: v.nullish(list(whole(BLOCK_ADDRESSES_MAX - 1), BLOCK_ADDRESSES_MAX)),
      attributes: v.nullish(list(attribute, BLOCK_ADDRESSES_MAX)),
      deleted: v.nullish(flagOrText),
    },
    REQUIRED,
  ),
);

export const dumpedAffinity = resource(
  v.looseObject(
    {
      cidr,
      node: text,
      type: v.nullish(v.picklist(["host", "virtual", ""], 'must be "host" or "virtual"')),
      state: v.nullish(text),
      deleted: v.nullish(flagOrText),
    },
    REQUIRED,
  ),
);

export const dumpedHandle = resource(
  v.looseObject(
    {
      handleID: text,
      block: v.nullish(
        v.record(text, whole(1_000_000_000), "must be an object of counts by block"),
      ),
      deleted: v.nullish(flagOrText),
    },
    REQUIRED,
  ),
);

export type DumpedPool = v.InferOutput<typeof dumpedPool>;
export type DumpedReservation = v.InferOutput<typeof dumpedReservation>;
export type DumpedConfig = v.InferOutput<typeof dumpedConfig>;
export type Labelled = v.InferOutput<typeof labelled>;
export type DumpedBlock = v.InferOutput<typeof dumpedBlock>;
export type DumpedAffinity = v.InferOutput<typeof dumpedAffinity>;
export type DumpedAttribute = v.InferOutput<typeof attribute>;

export const isDeleted = ({
  deleted,
}: {
  readonly deleted?: boolean | string | null | undefined;
}) => deleted === true || deleted === "true";

/** Returns the owner of a block; nothing without one. */
export const ownerOfBlock = ({ affinity, hostAffinity }: DumpedBlock["spec"]): HostId | undefined =>
  affinity ?? (hostAffinity ? hostId("host", hostAffinity) : undefined);

export const hostOfAffinity = ({ type, node }: DumpedAffinity["spec"]): HostId =>
  hostId(type === "virtual" ? "virtual" : "host", node);
