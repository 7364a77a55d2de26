import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import type { EventOutcome } from "../../src/constructs/handler/life-cycle.ts";

/** A template, as `cdk synth` writes it. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** Carries out an event, and returns the answer; nothing if none comes within the hour of CloudFormation. */
export type Invoke = (
  event: CloudFormationCustomResourceEvent,
) => Promise<EventOutcome | undefined>;

/** A resource as CloudFormation knows it. */
interface Known {
  readonly type: string;
  readonly physicalId: string;
  readonly properties: Record<string, unknown>;
  readonly data: Readonly<Record<string, string>>;
}

/** The tries of an operator to delete a stack or to continue a rollback. */
const TRIES_MAX = 20;

/**
 * The custom resources of a stack, with the events that CloudFormation sends in an update, a replacement, a rollback
 * and a delete (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes.html).
 */
export class Stack {
  readonly id = `arn:aws:cloudformation:eu-central-1:123456789012:stack/shop/${randomUUID()}`;
  readonly #invoke: Invoke;
  readonly #resources = new Map<string, Known>();

  constructor(invoke: Invoke) {
    this.#invoke = invoke;
  }

  /** The attributes of a resource. Its logical id begins with the name. */
  dataOf(name: string): Readonly<Record<string, string>> {
    const found = [...this.#resources].find(([id]) => id.startsWith(name));
    return found?.[1].data ?? {};
  }

  /**
   * Creates or updates the stack, and returns why it was rolled back; nothing if it was not.
   *
   * @param fails true if another resource fails after all of these
   */
  async deploy(template: Template, fails = false): Promise<string | undefined> {
    const before = new Map(this.#resources);
    const tried = new Map<string, Record<string, unknown>>();
    const replaced: [string, Known][] = [];
    let reason = fails ? "another resource failed" : undefined;
    for (const id of inOrder(template)) {
      const { Type: type, Properties } = template.Resources[id] ?? { Type: "" };
      const properties = this.#resolved(Properties) as Record<string, unknown>;
      const known = this.#resources.get(id);
      if (known && isDeepStrictEqual(known.properties, properties)) continue;
      tried.set(id, properties);
      const answer = await this.#send(known ? "Update" : "Create", id, { type, properties, known });
      if (!answer || answer.failure !== undefined) {
        const physicalId = answer?.physicalId ?? `shop-${id}-${randomUUID()}`;
        if (!known) this.#resources.set(id, { type, physicalId, properties, data: {} });
        reason = answer?.failure ?? "no answer";
        break;
      }
      const { physicalId, data = {} } = answer;
      this.#resources.set(id, { type, physicalId, properties, data });
      if (known && known.physicalId !== physicalId) replaced.push([id, known]);
    }
    if (reason !== undefined) await this.#rollBack(before, tried);
    else {
      for (const [id, known] of replaced.reverse()) await this.#delete(id, known);
      const gone = [...this.#resources.keys()].filter((id) => !(id in template.Resources));
      for (const id of gone.reverse()) await this.#remove(id);
    }
    return reason;
  }

  /** Deletes the stack, the last resource first. */
  async delete(): Promise<void> {
    for (const id of [...this.#resources.keys()].reverse()) await this.#remove(id);
  }

  async #rollBack(
    before: ReadonlyMap<string, Known>,
    tried: ReadonlyMap<string, Record<string, unknown>>,
  ): Promise<void> {
    const replaced: [string, Known][] = [];
    for (const [id, properties] of tried) {
      const [was, now] = [before.get(id), this.#resources.get(id)];
      if (!was || !now) continue;
      const { type } = was;
      const known = { ...now, properties };
      const { physicalId, data = {} } = await untilSuccess(() =>
        this.#send("Update", id, { type, properties: was.properties, known }),
      );
      this.#resources.set(id, { ...was, physicalId, data });
      if (physicalId !== now.physicalId) replaced.push([id, known]);
    }
    for (const [id, known] of replaced.reverse()) await this.#delete(id, known);
    for (const id of [...tried.keys()].reverse()) if (!before.has(id)) await this.#remove(id);
  }

  async #remove(id: string): Promise<void> {
    const known = this.#resources.get(id);
    if (known) await this.#delete(id, known);
    this.#resources.delete(id);
  }

  async #delete(id: string, known: Known): Promise<void> {
    const { type, properties } = known;
    await untilSuccess(() => this.#send("Delete", id, { type, properties, known }));
  }

  async #send(
    RequestType: "Create" | "Update" | "Delete",
    LogicalResourceId: string,
    { type, properties, known }: Pick<Known, "type" | "properties"> & { known: Known | undefined },
  ): Promise<EventOutcome | undefined> {
    return this.#invoke({
      RequestType,
      RequestId: randomUUID(),
      ResponseURL: "http://127.0.0.1:1/",
      ServiceToken: `${properties.ServiceToken}`,
      StackId: this.id,
      LogicalResourceId,
      ResourceType: type,
      ResourceProperties: properties,
      ...(known && { PhysicalResourceId: known.physicalId }),
      ...(RequestType === "Update" && { OldResourceProperties: known?.properties }),
    } as unknown as CloudFormationCustomResourceEvent);
  }

  /** Resolves the intrinsics in a value. A function has its logical id as its ARN. */
  #resolved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#resolved(one));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const [[name, argument] = ["", undefined]] = entries;
    if (name === "Fn::GetAtt") {
      const [id = "", attribute = ""] = argument as string[];
      if (attribute === "Arn") return id;
      const found = this.#resources.get(id)?.data[attribute];
      if (found === undefined) throw new Error(`${id} has no attribute ${attribute}`);
      return found;
    }
    if (name === "Fn::Join") {
      const [separator, parts] = argument as [string, unknown[]];
      return parts.map((part) => this.#resolved(part)).join(separator);
    }
    if (name === "Ref") return argument === "AWS::Region" ? "eu-central-1" : argument;
    return Object.fromEntries(entries.map(([key, one]) => [key, this.#resolved(one)]));
  }
}

/** Returns the custom resources of a template, each after those that it names. */
function inOrder({ Resources }: Template): readonly string[] {
  const ids = Object.keys(Resources).filter((id) => Resources[id]?.Type.startsWith("Custom::"));
  const names = (id: string) => ids.filter((other) => other !== id && mentions(id, other));
  const mentions = (id: string, other: string) =>
    JSON.stringify(Resources[id]?.Properties).includes(`"${other}"`);
  const ordered = new Set<string>();
  const visit = (id: string) => {
    for (const other of names(id)) visit(other);
    ordered.add(id);
  };
  for (const id of ids) visit(id);
  return [...ordered];
}

/** Sends an event again as an operator does who deletes a stack once more. */
async function untilSuccess(send: () => Promise<EventOutcome | undefined>): Promise<EventOutcome> {
  let last: EventOutcome | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    last = await send();
    if (last && last.failure === undefined) return last;
  }
  throw new Error(`the event failed ${TRIES_MAX} times: ${last?.failure ?? "no answer"}`);
}
