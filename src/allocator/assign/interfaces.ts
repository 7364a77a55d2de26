import type { InterfaceAsked } from "../../domain/application-pools.ts";
import { Rejection } from "../../domain/outcome.ts";
import type { AssignRequest, Wanted } from "./assignment.ts";

/** The parts of a request that its interfaces replace. */
type Asked = Pick<AssignRequest, "wanted" | "interfaces" | "pools">;

/** Returns what a request asks for each of its interfaces as a request of its own; the request itself if it names none. */
export function interfacesOf<Request extends Asked>(
  request: Request,
): readonly (Omit<Request, "interfaces"> & InterfaceAsked)[] {
  const { interfaces, ...shared } = request;
  if (!interfaces) return [request];
  return interfaces.map(({ name, ...asked }) => ({
    ...shared,
    ...asked,
    interface: name,
    isOnly: interfaces.length === 1,
    wanted: request.wanted.filter((each) => each.interface === name),
  }));
}

/** Returns each family of each interface that a request asks for, with what its interface asks. */
export const eachWanted = <Request extends Asked>(request: Request) =>
  interfacesOf(request).flatMap((one) =>
    one.wanted.map(({ family, count }) => ({ one, family, count })),
  );

/** Names the interface in the rejection of its part; a request without interfaces has none to name. */
export function ofInterface(name: string | undefined, rejection: Rejection): Rejection {
  if (name === undefined) return rejection;
  const { code, detail, members } = rejection;
  const { missing, pools } = members;
  const named = <One extends object>(each: One) => ({ ...each, interface: name });
  return new Rejection(code, `Interface ${name}: ${detail}`, {
    ...members,
    ...(missing && { missing: missing.map(named) }),
    ...(pools && { pools: pools.map((each) => named(each as object)) }),
  });
}

/** Returns the field of a request that has the number of addresses of a family. */
export function fieldOf({ interfaces }: Asked, { family, interface: of }: Wanted): string {
  const field = `ipv${family}`;
  const at = interfaces?.findIndex(({ name }) => name === of);
  return at === undefined ? field : `interfaces[${at}].${field}`;
}
