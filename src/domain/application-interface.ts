import type { Application, Target } from "./application.ts";

/** An interface as a request names it. */
export interface InterfaceAsked {
  /** Absent if the request names no interfaces: then it asks for one. */
  readonly interface?: string;
  /** True if it is the only one that the request names. */
  readonly isOnly?: boolean;
}

/**
 * Returns the interface of an application whose addresses an interface of its instance gets: the one of the same name. A name that
 * one side leaves out stands for the only interface of the other. If the other has several, the answer is an interface without pools,
 * so that the request is rejected: nobody knows which one is meant.
 *
 * @returns nothing if the application has no addresses, or those of interfaces with other names
 */
export function interfaceOfApplication(
  application: Application | undefined,
  { interface: asked, isOnly = asked === undefined }: InterfaceAsked,
): string | undefined {
  const names = application?.addresses?.interfaces.map(({ name }) => name) ?? [];
  const [only, ...others] = names;
  if (only === undefined) return undefined;
  if (asked !== undefined && (names.includes(asked) || only !== ""))
    return names.find((name) => name === asked);
  return isOnly && others.length === 0 ? only : (asked ?? "");
}

/** Returns the ids of the pools of an application's addresses for an interface and family, in the order in which they are tried. */
export const poolsOfTarget = (
  { targets }: Application,
  { interface: of, family }: Pick<Target, "interface" | "family">,
): readonly string[] =>
  targets.find((each) => each.interface === of && each.family === family)?.poolIds ?? [];
