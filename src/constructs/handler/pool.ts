import { EFFECTIVE_MS_MAX } from "../../base/limits.ts";
import {
  type Answer,
  type components,
  found,
  isRejection,
  Unanswered,
} from "../../client/index.ts";
import { digestOf, type Properties, Refused, type StackResource, uuidOf } from "./event.ts";
import type { HandlerWorld, ResourceKind } from "./kind.ts";

/** The fields of a pool that never change and that most pools have: a change of one means another pool. */
const REPLACING = ["cidr", "assign", "blockSize"] as const;
/** The part of a logical id that the name of a pool shows: with the digest it is a label of DNS. */
const SHOWN_CHARACTERS = 40;
/** The maximum of a value of a label, by the rules of Kubernetes. */
const LABEL_CHARACTERS_MAX = 63;
const WRITES_MAX = 5;
const POLL_MS = 5_000;

type Body = components["schemas"]["PoolRequest"];

/** One pool. Its labels say which resource it is. */
export const POOL_RESOURCE: ResourceKind = {
  type: "Custom::PlatPool",

  nameOf(properties, owner) {
    if (properties.PoolName !== undefined) return properties.PoolName;
    const body = bodyOf(properties);
    const shown = owner.resource.toLowerCase().slice(0, SHOWN_CHARACTERS);
    const kept = [...REPLACING.map((field) => body[field] ?? null), body.ranges !== undefined];
    // Only what a pool has counts, so that the names of pools without it stay as they are.
    const more = [
      ...(body.parent === undefined ? [] : [{ parent: body.parent }]),
      ...(body.allowedUses?.includes("LoadBalancer") ? ["LoadBalancer"] : []),
      ...(body.assignmentMode === "Applications" ? ["Applications"] : []),
    ];
    return `${shown}-${digestOf([uuidOf(owner), owner.resource, [...kept, ...more]])}`;
  },

  async ensure(world, { name, properties, owner }) {
    const body = bodyOf(properties);
    const labels = { ...body.labels, ...labelsOf(owner) };
    const { effectiveAt, cidr } = await write(world, name, { ...body, labels }, owner);
    // A resource that needs the pool can come to a function that does not know of it before then.
    const atMs =
      effectiveAt === undefined ? world.now() + EFFECTIVE_MS_MAX : Date.parse(effectiveAt);
    await world.sleep(Math.max(0, atMs - world.now()));
    return { PoolName: name, Cidr: cidr };
  },

  async release(world, name, owner) {
    for (;;) {
      const there = await read(world, name);
      if (!there || !isOf(there.body, owner)) return;
      if (there.body.state !== "deleting") await begin(world, name, there.etag);
      if (world.remainingMs() < POLL_MS)
        throw new Refused(
          `The pool ${name} is still being deleted. Its job says what it waits for (plat job get). Delete it again.`,
        );
      await world.sleep(POLL_MS);
    }
  },
};

/** Creates the pool, or changes it to what the body says. */
async function write(
  world: HandlerWorld,
  name: string,
  body: Body,
  owner: StackResource,
): Promise<Answer<"putPool">> {
  for (let writes = 1; ; writes++) {
    const there = await read(world, name);
    if (there && !isOf(there.body, owner))
      throw new Refused(
        `The pool ${name} exists, and is not of this resource. Use another name, or import the pool with PlatPool.fromPoolName.`,
      );
    const expected = there ? { ifMatch: there.etag } : { ifNoneMatch: "*" };
    try {
      return (await world.plat.putPool({ name, body, ...expected })).body;
    } catch (error) {
      // The next try reads what became of this one.
      const isUnclear = error instanceof Unanswered || isRejection(error, "precondition_failed");
      if (!isUnclear || writes === WRITES_MAX) throw error;
    }
  }
}

/** Begins to delete the version that was read. A later read sees what became of it. */
async function begin(
  { plat }: HandlerWorld,
  name: string,
  etag: string | undefined,
): Promise<void> {
  try {
    await plat.deletePool({ name, ifMatch: etag });
  } catch (error) {
    const isUnclear =
      error instanceof Unanswered || isRejection(error, "precondition_failed", "not_found");
    if (!isUnclear) throw error;
  }
}

const read = ({ plat }: HandlerWorld, name: string) => found(plat.readPool({ name }));

/**
 * Returns the fields of a pool, which a template has as one text: as properties they would all be texts.
 *
 * @throws {Refused} if the text is not JSON
 */
function bodyOf({ Body }: Properties): Body {
  try {
    return JSON.parse(Body ?? "{}");
  } catch {
    throw new Refused(
      "The fields of the pool are not JSON. CloudFormation puts the value of a parameter in as it is, so it must have no quotation mark, backslash or new line.",
    );
  }
}

const labelsOf = (owner: StackResource) => ({
  "cloudformation/stack": uuidOf(owner),
  // Its end, which the CDK makes unique.
  "cloudformation/resource": owner.resource.slice(-LABEL_CHARACTERS_MAX),
});

const isOf = (pool: { readonly labels?: Readonly<Record<string, string>> }, owner: StackResource) =>
  Object.entries(labelsOf(owner)).every(([label, value]) => pool.labels?.[label] === value);
