import type { Limits } from "./deployment.ts";

const ANY = "x-amazon-apigateway-any-method";

/** Returns the key of a route from the names that a definition has for its method and its path. */
export const routeKeyOf = (method: string, path: string): string =>
  `${method === ANY ? "ANY" : method.toUpperCase()} ${path}`;

/** Reads the limits of a stage or of a part of it. */
export const limitsOf = (read: {
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}): Limits => ({ ratePerSecond: read.ThrottlingRateLimit, burst: read.ThrottlingBurstLimit });
