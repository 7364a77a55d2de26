import { Command } from "commander";
import { action, type Session } from "../invocation/cli.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { matching } from "./change.ts";
import { type Kind, pathOf } from "./kind.ts";

/** `delete NAME`. */
export const deleteCommand = (io: Io, kind: Kind): Command =>
  deletion(kind)
    .action(
      action(io, (session: Session, _: object, name: string) => deleteAsSeen(session, kind, name)),
    )
    .addHelpText("after", examples([`Delete one`, `plat ${kind.noun} delete ${kind.sample}`]));

/** How it is said, without what it does. */
export const deletion = ({ noun }: Kind): Command =>
  new Command("delete")
    .description(`Delete a ${noun}`)
    .argument(`<${noun}>`, `Name of the ${noun}`);

/** Deletes a thing as it stands now, whatever that is. */
export async function deleteAsSeen({ client, io }: Session, kind: Kind, name: string) {
  const path = pathOf(kind, name);
  const seen = await client.call({ method: "GET", path });
  await client.call({ method: "DELETE", path, ...matching(seen) });
  io.out(`${kind.title} "${name}" deleted\n`);
}
