import { Command } from "commander";
import { action, printing, type Session } from "../cli.ts";
import type { Io } from "../io.ts";
import type { Column } from "../output/print.ts";
import { type Kind, pathOf } from "./kind.ts";
import { listKnown } from "./list.ts";

/** `get [NAME]`: one of a kind, or all of them. */
export const getCommand = <Body>(
  io: Io,
  kind: Pick<Kind, "plural"> & Partial<Pick<Kind, "perPage">>,
  columns: readonly Column<Body>[],
): Command =>
  printing(new Command("get"))
    .description(`shows the ${kind.plural} of the space, or one`)
    .argument("[name]")
    .action(
      action(io, async ({ client, print }: Session, _: object, name?: string) => {
        if (name !== undefined) {
          const { body } = await client.call<Body>({ method: "GET", path: pathOf(kind, name) });
          return print({ columns, rows: [body], document: body });
        }
        const { bodies, unread } = await listKnown<Body>(client, kind);
        print({ columns, rows: bodies, document: { [kind.plural]: bodies } });
        if (unread) throw unread;
      }),
    );
