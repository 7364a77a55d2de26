import { Command } from "commander";
import { action, type Session } from "../cli.ts";
import type { Io } from "../io.ts";
import { matching } from "./change.ts";
import { type Kind, pathOf } from "./kind.ts";

/** `delete NAME`: as it stands now, whatever that is. */
export const deleteCommand = (io: Io, kind: Kind): Command =>
  new Command("delete")
    .description(`deletes one of the ${kind.plural}`)
    .argument("<name>")
    .action(
      action(io, async ({ client }: Session, _: object, name: string) => {
        const path = pathOf(kind, name);
        const seen = await client.call({ method: "GET", path });
        await client.call({ method: "DELETE", path, ...matching(seen) });
        io.out(`${kind.title} "${name}" deleted\n`);
      }),
    );
