import type { Actor } from "../base/actor.ts";
import { PRINCIPAL_CHARACTERS_MAX } from "../base/limits.ts";
import { present } from "./clause.ts";
import type { Item, Value } from "./item.ts";
import { kindOf } from "./kinds.ts";
import type { Change, Table, Write } from "./table.ts";

/** The attribute with the actor of the last write. Its name is short, because a kilobyte is a write unit. */
const ACTOR = "w";
const REQUEST_ID_CHARACTERS_MAX = 64;

/**
 * Returns a table whose writes name their actor in the item, for the audit trail. It signs the kinds of items whose changes the trail
 * has. Without an actor it signs nothing.
 *
 * The stream shows an item as it was before its deletion, so a deletion would name the author of the write before. For kinds whose
 * deletion counts, the deletion is preceded by a write that changes the actor alone.
 */
export function signedTable(table: Table, actor: Actor | undefined): Table {
  if (!actor) return table;
  const signature = signatureOf(actor);
  return {
    get: (key, options) => table.get(key, options),
    query: (pk, options) => table.query(pk, options),
    scan: (limit, options) => table.scan(limit, options),
    due: (shard, options) => table.due(shard, options),
    write(write) {
      const kind = kindOf(write.key);
      if (!kind?.signed) return table.write(write);
      const change = () => table.write({ ...write, change: signed(write.change, signature) });
      return write.change.kind === "delete" && kind.signed === "deletions too"
        ? // Whatever comes of this write, the condition of the deletion itself decides.
          table.write(signing(write, signature)).then(change)
        : change();
    },
  };
}

/** Returns the actor that an item names; nothing if it names none. */
export function actorIn(item: Item | undefined): Actor | undefined {
  const signature = item?.[ACTOR];
  if (!Array.isArray(signature)) return undefined;
  const [principal, requestId, sourceIp] = signature as readonly (string | undefined)[];
  if (principal === undefined || requestId === undefined) return undefined;
  return { principal, requestId, ...(sourceIp !== undefined && { sourceIp }) };
}

const signatureOf = ({ principal, requestId, sourceIp }: Actor): Value => [
  principal.slice(0, PRINCIPAL_CHARACTERS_MAX),
  requestId.slice(0, REQUEST_ID_CHARACTERS_MAX),
  ...(sourceIp === undefined ? [] : [sourceIp]),
];

const signing = ({ key, when }: Write, signature: Value): Write => ({
  step: "sign-deletion",
  key,
  when: [...when, present("signed-present", "pk")],
  change: { kind: "update", set: [[[ACTOR], signature]] },
});

function signed(change: Change, signature: Value): Change {
  switch (change.kind) {
    case "put":
      return { kind: "put", item: { ...change.item, [ACTOR]: signature } };
    case "update":
      return { ...change, set: [...(change.set ?? []), [[ACTOR], signature]] };
    case "delete":
      return change;
    default:
      return change satisfies never;
  }
}
