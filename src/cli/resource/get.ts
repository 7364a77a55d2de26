import { Command } from "commander";
import { action, ignoringNotFound, printing, type Session } from "../invocation/cli.ts";
import type { Column } from "../output/table.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { pathOfObject, type ResourceKind } from "./kind.ts";
import { listKnown } from "./list.ts";
import { endList } from "./none.ts";

/** Returns the verb `get` with its aliases, and its option to go on. */
export const getVerb = (): Command =>
  new Command("get")
    .aliases(["list", "ls", "describe"])
    .option("-w, --watch", "Then print what is new or changed, until Ctrl-C");

/** Returns `get [NAME]`, which shows one object of a kind, or all of them. */
export const getCommand = <Body>(
  io: Io,
  kind: Pick<ResourceKind, "noun" | "plural" | "sample" | "nameFields"> &
    Partial<Pick<ResourceKind, "perPage">>,
  columns: readonly Column<Body>[],
  printOne?: (session: Session, body: Body) => void,
): Command =>
  ignoringNotFound(printing(getVerb()))
    .description(`Show the ${kind.plural} of the space, or one ${kind.noun}`)
    .argument(`[${kind.noun}]`, `Name of the ${kind.noun}`)
    .addHelpText(
      "after",
      examples(
        [`Show the ${kind.plural} of the space`, `plat ${kind.noun} get`],
        [`Show one ${kind.noun} with every field`, `plat ${kind.noun} get ${kind.sample} -o yaml`],
        [`Print only the names`, `plat ${kind.noun} get -o name`],
      ),
    )
    .action(
      action(io, async (session: Session, _: object, name?: string) => {
        const { client, print } = session;
        if (name !== undefined) {
          const { body } = await client.call<Body>({
            method: "GET",
            path: pathOfObject(kind, name),
          });
          return printOne
            ? printOne(session, body)
            : print({ columns, rows: [body], document: body });
        }
        const list = await listKnown<Body>(client, kind);
        print({ columns, rows: list.items, document: { [kind.plural]: list.items } });
        await endList(session, list, kind.plural);
      }),
    );
