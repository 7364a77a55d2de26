/** A value of an attribute, here and in DynamoDB. Sets are never empty. */
export type Value =
  | string
  | number
  | boolean
  | Uint8Array
  | ReadonlySet<string>
  | ReadonlySet<number>
  | readonly Value[]
  | { readonly [name: string]: Value };

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export type Item = Key & { readonly [name: string]: Value };

/**
 * A path of attribute names: `["slots", "7"]` is the entry 7 of the map `slots`. DynamoDB gets
 * aliases for names, so an expression never contains one.
 */
export type AttributePath = readonly [string, ...string[]];
