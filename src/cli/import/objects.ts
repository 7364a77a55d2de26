import type * as v from "valibot";
import { isManifest } from "../../api/http/choose-manifest.ts";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { checked, cut, isRecord } from "../../api/schema/schema.ts";
import { usageErrors } from "../shell/exit.ts";
import { documentsOf } from "./dump-text.ts";

/** A kind of object in a dump of `kubectl get -o json`. */
interface ObjectKind {
  readonly apiVersions: RegExp;
  readonly schema: v.GenericSchema;
}

type Kinds = Readonly<Record<string, ObjectKind>>;

/** The objects of a dump by kind. */
export type Objects<Of extends Kinds> = {
  readonly [Kind in keyof Of]: readonly v.InferOutput<Of[Kind]["schema"]>[];
};

/**
 * Reads the objects of the given kinds in texts, each under the name of its file. Errors: a text that is neither JSON nor YAML, and
 * objects that differ from their schema.
 *
 * @returns the objects, and a note for each other kind
 */
export function objectsOf<Of extends Kinds>(
  texts: ReadonlyMap<string, string>,
  kinds: Of,
): { readonly objects: Objects<Of>; readonly notes: readonly string[] } {
  const lists = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, [] as unknown[]]));
  const ignored = new Map<string, number>();
  const problems: string[] = [];
  for (const [file, text] of texts)
    for (const item of documentsOf(file, text)) {
      if (!isManifest(item)) {
        problems.push(`${file} has an object without a kind: it is no output of kubectl.`);
        continue;
      }
      const kind = String(item.kind);
      const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      if (!known?.apiVersions.test(String(item.apiVersion))) {
        ignored.set(cut(kind), (ignored.get(cut(kind)) ?? 0) + 1);
        continue;
      }
      const value = orProblem(() => checked(known.schema, item));
      if (value instanceof Problem)
        problems.push(`${file}: ${kind} ${nameOf(item)}: ${value.detail}`);
      else lists[kind]?.push(value);
    }
  if (problems.length > 0) throw usageErrors(problems);
  const notes = [...ignored].map(([kind, count]) => `${count} of kind ${kind}: not imported.`);
  return { objects: lists as unknown as Objects<Of>, notes };
}

const nameOf = ({ metadata }: Record<string, unknown>): string =>
  isRecord(metadata) && typeof metadata.name === "string" ? cut(metadata.name) : "without a name";
