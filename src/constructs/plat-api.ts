import { Stack } from "aws-cdk-lib";
import { Construct } from "constructs";
import * as v from "valibot";
import { spaceName, text } from "../api/schema/field.ts";
import { fields } from "../api/schema/schema.ts";
import { orLater, readProps } from "./props.ts";
import { Provider, type ResourceKindName } from "./provider.ts";

/** Properties of `PlatApi`. */
export interface PlatApiProps {
  /** The id of the HTTP API of Plat's stack, such as `abc123`. */
  readonly apiId: string;
  /** The Region of the API. Default: that of the stack. */
  readonly region?: string;
  /** The URL of the API. Default: its name at API Gateway. An API with a domain name of its own has no other. */
  readonly endpoint?: string;
  /** The address space. Default: `default`. */
  readonly space?: string;
}

const API = fields({
  apiId: orLater(
    v.pipe(text, v.regex(/^[a-z0-9]+$/, 'must be the id of an HTTP API, such as "abc123"')),
  ),
  region: v.optional(
    orLater(v.pipe(text, v.regex(/^[a-z0-9-]+$/, 'must be a Region, such as "eu-central-1"'))),
  ),
  endpoint: v.optional(
    orLater(
      v.pipe(
        text,
        v.regex(/^https?:\/\/[^\s?#]+$/, 'must be a URL, such as "https://plat.example.com"'),
      ),
    ),
  ),
  space: v.optional(orLater(spaceName)),
});

/**
 * The API of Plat that gives resources what they have. It has a function for each kind of resource that a stack uses,
 * with the rights of this kind.
 */
export class PlatApi extends Construct {
  readonly apiId: string;
  readonly region: string;
  readonly endpoint: string;
  readonly space: string | undefined;

  /** @throws {Error} if a property is wrong; the message names it */
  constructor(scope: Construct, id: string, props: PlatApiProps) {
    super(scope, id);
    const { apiId, region, endpoint, space } = readProps(this, API, props);
    const { region: own, urlSuffix } = Stack.of(this);
    this.apiId = apiId;
    this.region = region ?? own;
    this.space = space;
    this.endpoint = endpoint ?? `https://${apiId}.execute-api.${this.region}.${urlSuffix}`;
  }

  /**
   * Returns the function that serves a kind of resource. Each kind has its own, so that the rights of a kind go with
   * its last resource and not before it: CloudFormation deletes resources after it has changed the policies that stay.
   *
   * @internal
   */
  _provider(kind: ResourceKindName): Provider {
    const id = `${kind}Provider`;
    return (
      (this.node.tryFindChild(id) as Provider | undefined) ?? new Provider(this, id, kind, this)
    );
  }
}
