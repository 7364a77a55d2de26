import { createHash } from "node:crypto";
import { CustomResource, Resource, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type * as v from "valibot";
import { SPACE_DEFAULT } from "../api/route.ts";
import type { PlatApi } from "./plat-api.ts";
import { readProps, wrong } from "./props.ts";
import type { ResourceKindName } from "./provider.ts";

/** A resource to make. */
interface Wanted {
  readonly kind: ResourceKindName;
  /** Says what has the API, for an error. */
  readonly source: string;
  /** The other properties, and their schema. */
  readonly props: object;
  readonly schema: v.GenericSchema;
  /** The properties as CloudFormation has them. */
  readonly properties: Readonly<Record<string, string | undefined>>;
}

/** A resource that Plat's API gives. */
export abstract class PlatResource extends Resource {
  readonly #custom: CustomResource;

  /**
   * @param from what has the API, such as a pool
   * @throws {Error} if a property is wrong; the message names it
   */
  protected constructor(
    scope: Construct,
    id: string,
    from: { readonly api: PlatApi },
    { kind, source, props, schema, properties }: Wanted,
  ) {
    super(scope, id);
    const api = from?.api;
    if (typeof api?._provider !== "function") throw wrong(this, source);
    readProps(this, schema, props);
    const { apiId, endpoint, region, space } = api;
    const provider = api._provider(kind);
    // A resource of another API or space is another resource. One API can have several names, which are no part of this.
    const place = Stack.of(this).resolve([apiId, space ?? SPACE_DEFAULT]);
    this.#custom = new CustomResource(this, `Resource${digestOf(place)}`, {
      serviceToken: provider.serviceToken,
      resourceType: `Custom::Plat${kind}`,
      properties: defined({ Endpoint: endpoint, Region: region, Space: space, ...properties }),
    });
    // The function is not complete without its rights and the limit on the age of its events.
    this.#custom.node.addDependency(provider);
    this.node.defaultChild = this.#custom.node.defaultChild as Construct;
  }

  /** Returns an attribute of the resource as a token. */
  protected attribute(name: string): string {
    return this.#custom.getAttString(name);
  }
}

const defined = (properties: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));

const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8);
