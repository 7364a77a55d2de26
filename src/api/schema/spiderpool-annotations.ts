import * as v from "valibot";
import {
  type AnnotationItem,
  isPlural,
  POOL_ANNOTATIONS,
  type PoolAnnotation,
} from "../../selection/spiderpool-annotations.ts";
import { flag, json, text } from "./field.ts";
import { poolList } from "./pool-names.ts";
import { isRecord, list } from "./schema.ts";

/** Items of a pod's annotation, one for each of its interfaces. */
const ANNOTATION_ITEMS_MAX = 64;

/** Go programs write `null` for a list that they did not set. */
const FAMILIES = { ipv4: v.nullish(poolList, []), ipv6: v.nullish(poolList, []) };

const object = v.custom<Record<string, unknown>>(isRecord, "must be an object with ipv4 or ipv6");

const isForFamily = ({
  ipv4,
  ipv6,
}: {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}) => ipv4.length + ipv6.length > 0;
const FOR_NO_FAMILY = "must name a pool in ipv4 or in ipv6";

/** The item of an annotation in the singular. Items may have further keys, which Spiderpool ignores too. */
const onlyItem = v.pipe(
  object,
  v.looseObject(FAMILIES),
  v.check((named) => isForFamily(named), FOR_NO_FAMILY),
  v.transform(
    ({ ipv4, ipv6 }): AnnotationItem => ({ pools: { 4: ipv4, 6: ipv6 }, cleanGateway: false }),
  ),
);

const item = v.pipe(
  object,
  v.looseObject({
    ...FAMILIES,
    interface: v.nullish(text),
    cleangateway: v.nullish(flag, false),
  }),
  v.check((named) => isForFamily(named), FOR_NO_FAMILY),
  v.transform(
    ({ interface: named, ipv4, ipv6, cleangateway }): AnnotationItem => ({
      ...(typeof named === "string" && { interface: named }),
      pools: { 4: ipv4, 6: ipv6 },
      cleanGateway: cleangateway,
    }),
  ),
);

const items = list(
  item,
  { min: 1, max: ANNOTATION_ITEMS_MAX },
  {
    type: "must be an array with an item for each interface",
    min: "must have an item",
    max: `must have at most ${ANNOTATION_ITEMS_MAX} items`,
  },
);

const single = v.pipe(
  text,
  json("must be JSON: an object with ipv4 or ipv6"),
  onlyItem,
  v.transform((one) => [one]),
);
const plural = v.pipe(text, json("must be JSON: an array of objects with ipv4 or ipv6"), items);

/** The annotations of a pod, as far as Plat reads them. */
export interface PodAnnotations {
  /** The annotation that chooses the pools. */
  readonly pools?: PoolAnnotation;
}

/**
 * The annotations of a pod, of which Plat reads the first that chooses pools, from its JSON. A problem names the annotation, and
 * the place in it.
 */
export const annotations = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>(isRecord, "must be an object of strings"),
  v.metadata({ type: "object", additionalProperties: { type: "string" } }),
  v.rawTransform<Readonly<Record<string, unknown>>, PodAnnotations>(
    ({ dataset: { value: input }, addIssue, NEVER }) => {
      const key = POOL_ANNOTATIONS.find((one) => Object.hasOwn(input, one));
      if (key === undefined) return {};
      const value = input[key];
      const read = v.safeParse(isPlural(key) ? plural : single, value, { abortPipeEarly: true });
      if (read.success) return { pools: { key, items: read.output as readonly AnnotationItem[] } };
      const at = { type: "object", origin: "value", input, key, value } as const;
      for (const { message, input, path = [] } of read.issues)
        addIssue({ message, input, path: [at, ...path] });
      return NEVER;
    },
  ),
);
