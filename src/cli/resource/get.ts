import { Command } from "commander";
import { action, printing, type Session } from "../cli.ts";
import { pages } from "../client.ts";
import type { Io } from "../io.ts";
import type { Column } from "../output/print.ts";
import { type Kind, listPath, pathOf } from "./kind.ts";

/** `get [NAME]`: one of a kind, or all of them. */
export const getCommand = <Body>(
  io: Io,
  kind: Pick<Kind, "plural">,
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
        const rows: Body[] = [];
        for await (const page of pages<Page<Body>>(client, listPath(kind)))
          rows.push(...(page[kind.plural] as readonly Body[]));
        print({ columns, rows, document: { [kind.plural]: rows } });
      }),
    );

type Page<Body> = { readonly next?: string } & {
  readonly [plural: string]: readonly Body[] | string | undefined;
};
