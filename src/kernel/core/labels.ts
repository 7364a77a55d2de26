import { type ApplicationName, nameOfApplication } from "../../nouns/application/application.ts";
import type { HostId } from "../values/host.ts";
import type { Context } from "./context.ts";

/** Drops the labels of a node or a namespace after a write, so that this function reads them again. */
export function forgetLabels({ cache }: Context, of: LabelledPlace): void {
  cache.registered.drop(
    "host" in of ? hostCopy(of.space, of.host) : namespaceCopy(of.space, of.namespace),
  );
}

type LabelledPlace =
  | { readonly space: string; readonly host: HostId }
  | { readonly space: string; readonly namespace: string };

export const hostCopy = (space: string, host: HostId) => `${space}#${host}`;

export const namespaceCopy = (space: string, name: string) => `${space}#namespace:${name}`;

export const applicationCopy = (space: string, of: ApplicationName) =>
  `${space}#${nameOfApplication(of)}`;

/** Drops the copy of an application after a write, so that this function reads it again. */
export const forgetApplication = ({ cache }: Context, space: string, of: ApplicationName): void =>
  cache.applications.drop(applicationCopy(space, of));
