import type { PlatClient } from "../../client/index.ts";
import type { Properties, StackResource } from "./event.ts";

/** The surroundings of a life cycle: the API in the space of the resource, and the time that is left. */
export interface HandlerWorld {
  readonly plat: PlatClient;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns the milliseconds in which the handler must have answered. */
  readonly remainingMs: () => number;
}

/** The attributes of a resource, by name; CloudFormation gives them to `Fn::GetAtt`. */
export type Data = Readonly<Record<string, string>>;

/** A kind of resource. Each version of a resource has a name in Plat, which no other version has. */
export interface ResourceKind {
  /** The resource type in templates, which also begins the physical ids. */
  readonly type: string;
  /** Returns the name of what the properties ask for: a handle, or the name of a pool. */
  readonly nameOf: (properties: Properties, owner: StackResource) => string;
  /**
   * Makes sure that the name has what the properties ask for, once, however often it is called.
   *
   * @param key the id of the event, which a repeat of the event has too
   */
  readonly ensure: (world: HandlerWorld, wanted: ResourceWanted, key: string) => Promise<Data>;
  /** Gives back what a name has, if it is of this resource. Nothing there is no error. */
  readonly release: (world: HandlerWorld, name: string, owner: StackResource) => Promise<void>;
}

/** The wish of a create or an update. */
export interface ResourceWanted {
  readonly name: string;
  readonly properties: Properties;
  readonly owner: StackResource;
}
