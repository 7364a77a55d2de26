import type { PlatClient } from "../../client/index.ts";
import type { Wanted, WantedSet } from "./documents.ts";
import { listAll } from "./list.ts";

/** Returns the objects of sets that exist and that no manifest describes any more, to be deleted. */
export async function surplusOf(
  client: PlatClient,
  sets: readonly WantedSet[],
  wanted: readonly Wanted[],
): Promise<readonly Wanted[]> {
  const surplus: Wanted[] = [];
  for (const kind of new Set(sets.map((set) => set.kind))) {
    const forms = sets.filter((set) => set.kind === kind);
    const described = new Set(wanted.filter((one) => one.kind === kind).map(({ name }) => name));
    for (const resource of await listAll<Resource>(client, kind))
      if (
        !described.has(resource.name) &&
        forms.some(({ form, name }) => form.isMember(name, resource))
      )
        surplus.push({ kind, name: resource.name, unsaid: [] });
  }
  return surplus;
}

type Resource = Readonly<Record<string, unknown>> & { readonly name: string };
