import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { components } from "../client/index.ts";
import type { PlatApi } from "./plat-api.ts";
import { PlatResource } from "./resource.ts";

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

/** A pool. It is deleted with its resource, which fails while it has assigned addresses. */
export class PlatPool extends PlatResource implements IPlatPool {
  /** Returns a pool that is there already. */
  static fromPoolName(api: PlatApi, poolName: string): IPlatPool {
    return { api, poolName };
  }

  readonly api: PlatApi;
  /** The name of the pool, as a token. */
  readonly poolName: string;
  /** The CIDR of the pool, as a token that is there when the pool serves. */
  readonly cidr: string;

  constructor(scope: Construct, id: string, { api, poolName, ...fields }: PlatPoolProps) {
    super(scope, id, api, "Pool", {
      PoolName: poolName,
      Body: Stack.of(scope).toJsonString(fields),
    });
    this.api = api;
    this.poolName = this.attribute("PoolName");
    this.cidr = this.attribute("Cidr");
  }
}
