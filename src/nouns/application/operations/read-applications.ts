import type { ListedPage, PageWanted } from "../../../base/listed.ts";
import type { Rejection } from "../../../base/outcome.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { type Application, type ApplicationName, nameOfApplication } from "../application.ts";

/** A request for a page of the applications of a space, by `nameOfApplication`. */
export interface ApplicationsWanted extends PageWanted<string> {
  readonly space: string;
}

/** Returns a page of the applications of a space, in the order of namespace, kind and name. */
export async function listApplications(
  { store }: Context,
  { space, limit, after }: ApplicationsWanted,
): Promise<ListedPage<Application, string>> {
  return store.listApplications(space, { after, limit });
}

export async function readApplication(
  { store }: Context,
  space: string,
  of: ApplicationName,
): Promise<Application | Rejection> {
  const found = await store.readApplication(space, of);
  return found ?? notFound(space, "application", nameOfApplication(of));
}
