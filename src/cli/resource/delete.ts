import { Command } from "commander";
import {
  action,
  type DryRunOption,
  dryRunMark,
  ignoringNotFound,
  type Session,
} from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { headersAsSeen } from "./change.ts";
import { pathOfObject, type ResourceKind } from "./kind.ts";

/** Makes the command `delete NAME`. */
export const deleteCommand = (io: Io, kind: ResourceKind): Command =>
  deletion(kind)
    .action(
      action(io, async (session: Session, options: ConfirmOptions, name: string) => {
        const confirm = confirmation(session, options);
        await deleteAsSeen(session, kind, name, options, () =>
          confirm(`Delete ${kind.noun} ${name}?`),
        );
      }),
    )
    .addHelpText("after", examples([`Delete one`, `plat ${kind.noun} delete ${kind.sample}`]));

/** Makes the delete command without its action. */
export const deletion = ({ noun }: ResourceKind): Command =>
  ignoringNotFound(
    withConfirmation(
      new Command("delete")
        .description(`Delete one ${noun}`)
        .argument(`<${noun}>`, `Name of the ${noun}`),
      "Show what would be deleted, and delete nothing",
    ),
  );

/**
 * Deletes a resource in its current state; in a dry run it only asks the API whether it could.
 *
 * @param confirm asks once the resource is known to exist, and not in a dry run
 */
export async function deleteAsSeen(
  { client, io }: Session,
  kind: ResourceKind,
  name: string,
  { dryRun }: DryRunOption,
  confirm: () => Promise<void> = async () => {},
): Promise<void> {
  const path = pathOfObject(kind, name);
  const seen = await client.call({ method: "GET", path });
  if (!dryRun) await confirm();
  await client.call({ method: "DELETE", path, query: { dryRun }, ...headersAsSeen(seen) });
  io.out(`${kind.title} "${name}" deleted${dryRunMark({ dryRun })}\n`);
}
