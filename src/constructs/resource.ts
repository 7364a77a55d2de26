import { createHash } from "node:crypto";
import { CustomResource, Resource, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { PlatApi } from "./plat-api.ts";
import type { ResourceKindName } from "./provider.ts";

/** A resource that Plat's API gives. */
export abstract class PlatResource extends Resource {
  readonly #custom: CustomResource;

  protected constructor(
    scope: Construct,
    id: string,
    api: PlatApi,
    kind: ResourceKindName,
    properties: Readonly<Record<string, string | undefined>>,
  ) {
    super(scope, id);
    const { endpoint, region, space } = api;
    const place = {
      Endpoint: endpoint,
      Region: region,
      ...(space !== undefined && { Space: space }),
    };
    const provider = api._provider(kind);
    // A resource in another place is another resource: CloudFormation does not change the function of one.
    this.#custom = new CustomResource(this, `Resource${digestOf(Stack.of(this).resolve(place))}`, {
      serviceToken: provider.serviceToken,
      resourceType: `Custom::Plat${kind}`,
      properties: { ...place, ...defined(properties) },
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
