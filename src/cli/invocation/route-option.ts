import { InvalidArgumentError } from "commander";

/** A route of a pool, in the form of the API. */
interface RouteOption {
  readonly dst: string;
  readonly gw: string;
}

/** Parses `dst=10.0.0.0/8,gw=10.9.0.1`, repeated for each route. The API judges the addresses. @throws {InvalidArgumentError} */
export function routes(text: string, before: readonly RouteOption[] = []): readonly RouteOption[] {
  const [, dst, gw] = /^dst=([^,=]+),gw=([^,=]+)$/.exec(text) ?? [];
  if (dst === undefined || gw === undefined)
    throw new InvalidArgumentError("It must be dst=CIDR,gw=ADDRESS.");
  return [...before, { dst, gw }];
}
