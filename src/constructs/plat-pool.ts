import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import * as v from "valibot";
import { readsOf } from "../api/noun.ts";
import { resourceName } from "../api/schema/field.ts";
import { fields, rule } from "../api/schema/schema.ts";
import type { components } from "../client/index.ts";
import { POOL, problemsAcross } from "../nouns/pool/contract/request.ts";
import type { PlatApi } from "./plat-api.ts";
import { isLater, orLater, readProps } from "./props.ts";
import { PlatResource } from "./resource.ts";

/** Says where an address or a prefix comes from. */
export const FROM_POOL = "pool must be a PlatPool, or PlatPool.fromPoolName(api, name)";

/** A pool that resources get addresses or prefixes from. */
export interface IPlatPool {
  readonly api: PlatApi;
  readonly poolName: string;
}

/** The fields of a pool, as `PUT /v1/pools/{name}` takes them. */
type PoolFields = Omit<components["schemas"]["PoolRequest"], "name" | "state" | "job">;

/** Properties of `PlatPool`: its API, and the fields of the pool. */
export interface PlatPoolProps extends PoolFields {
  readonly api: PlatApi;
  /**
   * The name of the pool. By default it is made of the logical id, so that a pool can be replaced. A change of `cidr`,
   * `assign` or `blockSize` needs another name.
   */
  readonly poolName?: string;
}

const FIELDS = { poolName: v.optional(orLater(resourceName)), ...readsOf(POOL) };

/** Returns the schema of the properties of a pool. Those that only CloudFormation knows are not checked, nor are rules over them. */
function schemaOf(props: object): v.GenericSchema {
  const later = Object.entries(props).filter(([, value]) => isLater(value));
  const known = later.filter(([name]) => Object.hasOwn(FIELDS, name));
  return later.length === 0
    ? v.pipe(
        fields(FIELDS),
        rule((pool) => problemsAcross(pool)),
      )
    : fields({ ...FIELDS, ...Object.fromEntries(known.map(([name]) => [name, v.any()])) });
}

/** A pool. It is deleted with its resource, which fails while it has assigned addresses. */
export class PlatPool extends PlatResource implements IPlatPool {
  /** Returns a pool that is there already. */
  static fromPoolName(api: PlatApi, poolName: string): IPlatPool {
    readProps(api, fields({ poolName: orLater(resourceName) }), { poolName });
    return { api, poolName };
  }

  readonly api: PlatApi;
  /** The name of the pool, as a token. */
  readonly poolName: string;
  /** The CIDR of the pool, as a token that is there when the pool serves. */
  readonly cidr: string;

  /** @throws {Error} if a property is wrong; the message names it */
  constructor(scope: Construct, id: string, { api, ...props }: PlatPoolProps) {
    const { poolName, ...body } = props;
    super(
      scope,
      id,
      { api },
      {
        kind: "Pool",
        source: "api must be a PlatApi, or the api() of a PlatEnvironment",
        props,
        schema: schemaOf(props),
        properties: { PoolName: poolName, Body: Stack.of(scope).toJsonString(body) },
      },
    );
    this.api = api;
    this.poolName = this.attribute("PoolName");
    this.cidr = this.attribute("Cidr");
  }
}
