import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import { ApiError, NotPlat } from "../../client/index.ts";
import { ADDRESS_RESOURCE } from "./address.ts";
import { type Properties, Refused, type StackResource, stackResourceOf } from "./event.ts";
import type { Data, HandlerWorld, ResourceKind } from "./kind.ts";
import { POOL_RESOURCE } from "./pool.ts";
import { PREFIX_RESOURCE } from "./prefix.ts";

/** The outcome of an event. */
export interface EventOutcome {
  /** The name of the resource for CloudFormation. After an update another one means a replacement. */
  readonly physicalId: string;
  readonly data?: Data;
  /** The reason of a failure; absent after a success. */
  readonly failure?: string;
}

type Event = CloudFormationCustomResourceEvent;

const KINDS: readonly ResourceKind[] = [ADDRESS_RESOURCE, PREFIX_RESOURCE, POOL_RESOURCE];

/**
 * Carries out an event of CloudFormation. The physical id is a function of the stack, the logical id and the properties
 * that mean replacement. So a repeat finds what it made, a rollback finds what is still there, and a delete after a
 * create without an answer knows what that may have made.
 *
 * @param worldOf returns the surroundings for the properties of the resource
 */
export async function lifeCycle(
  event: Event,
  worldOf: (properties: Properties) => HandlerWorld,
): Promise<EventOutcome> {
  // A delete needs nothing of what the create could not understand.
  if (event.RequestType === "Delete" && event.PhysicalResourceId === nothingId(event))
    return { physicalId: event.PhysicalResourceId };
  try {
    const kind = KINDS.find(({ type }) => type === event.ResourceType);
    if (!kind) throw new Refused(`There is no resource type ${event.ResourceType}.`);
    const world = worldOf(event.ResourceProperties);
    return await (event.RequestType === "Delete"
      ? deleted(event, kind, world)
      : ensured(event, kind, world));
  } catch (error) {
    return { physicalId: knownId(event), failure: reasonOf(error) };
  }
}

async function ensured(
  event: Exclude<Event, { RequestType: "Delete" }>,
  kind: ResourceKind,
  world: HandlerWorld,
): Promise<EventOutcome> {
  const owner = stackResourceOf(event);
  const properties: Properties = event.ResourceProperties;
  const name = kind.nameOf(properties, owner);
  const physicalId = idOf(kind, name);
  try {
    const wanted = { name, properties, owner };
    const data = await patiently(world, () => kind.ensure(world, wanted, event.RequestId));
    if (event.RequestType === "Update") await releaseFailed(event, kind, world, name);
    return { physicalId, data };
  } catch (error) {
    // CloudFormation deletes a failed create by this id, and continues after a failed update with the old one.
    const id = event.RequestType === "Create" ? physicalId : event.PhysicalResourceId;
    return { physicalId: id, failure: reasonOf(error) };
  }
}

/**
 * Releases what a failed update may have made. CloudFormation then rolls back from properties whose name it never
 * learned: neither the current physical id nor the new one.
 */
async function releaseFailed(
  event: Extract<Event, { RequestType: "Update" }>,
  kind: ResourceKind,
  world: HandlerWorld,
  name: string,
): Promise<void> {
  const owner = stackResourceOf(event);
  const left = madeName(kind, event.OldResourceProperties, owner);
  if (left === undefined || left === name || idOf(kind, left) === event.PhysicalResourceId) return;
  await patiently(world, () => kind.release(world, left, owner));
}

async function deleted(
  event: Extract<Event, { RequestType: "Delete" }>,
  kind: ResourceKind,
  world: HandlerWorld,
): Promise<EventOutcome> {
  const { PhysicalResourceId: physicalId, ResourceProperties: properties } = event;
  const owner = stackResourceOf(event);
  // CloudFormation makes up the id of a create without an answer.
  const name = nameIn(kind, physicalId) ?? madeName(kind, properties, owner);
  if (name !== undefined) await patiently(world, () => kind.release(world, name, owner));
  return { physicalId };
}

/** Returns the name of what an event may have made; nothing for properties that no event could understand. */
function madeName(
  kind: ResourceKind,
  properties: Properties,
  owner: StackResource,
): string | undefined {
  try {
    return kind.nameOf(properties, owner);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

const idOf = (kind: ResourceKind, name: string) => `${kind.type}/${name}`;

function nameIn(kind: ResourceKind, physicalId: string): string | undefined {
  const start = idOf(kind, "");
  return physicalId.startsWith(start) ? physicalId.slice(start.length) : undefined;
}

/** Returns the id that CloudFormation knows. */
const knownId = (event: Event): string =>
  "PhysicalResourceId" in event ? event.PhysicalResourceId : nothingId(event);

/** Returns the id of a create that cannot be understood, and so made nothing. Every other id has a slash and a name. */
const nothingId = ({ ResourceType }: Event): string => ResourceType;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`);

/**
 * The time for which a denial is believed to be a new policy that IAM has not spread yet
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency).
 */
const DENIED_MS_MAX = 60_000;
const DENIED_WAIT_MS = 5_000;
/** The wait for a rejection that does not name one. */
const UNTOLD_WAIT_MS = 5_000;

/**
 * Carries out an act, and repeats it after what passes: a denial within the first minute, and a rejection that says so,
 * such as an address that cools. It gives up when the handler must answer before the end of the wait.
 */
async function patiently<Result>(world: HandlerWorld, act: () => Promise<Result>): Promise<Result> {
  const startMs = world.now();
  for (;;)
    try {
      return await act();
    } catch (error) {
      const waitMs = waitOf(error, world.now() - startMs);
      if (waitMs === undefined || waitMs >= world.remainingMs()) throw error;
      await world.sleep(waitMs);
    }
}

function waitOf(error: unknown, passedMs: number): number | undefined {
  if (error instanceof NotPlat)
    return error.status === 403 && passedMs < DENIED_MS_MAX ? DENIED_WAIT_MS : undefined;
  if (!(error instanceof ApiError && error.problem.retryable)) return undefined;
  const seconds = error.problem.retryAfterSeconds;
  return seconds === undefined ? UNTOLD_WAIT_MS : seconds * 1_000;
}
