import { Command } from "commander";
import { isRejection, type PlatClient } from "../../client/index.ts";
import {
  action,
  type DryRunOption,
  dryRunMark,
  type Session,
  withDryRun,
} from "../invocation/cli.ts";
import { type DeclaredFields, fieldsIn, withFields } from "../invocation/field-options.ts";
import { rejectionError } from "../shell/exit.ts";
import { type Example, examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { detailsOf, headersAsSeen, warn } from "./change.ts";
import { pathOfObject, type ResourceKind, titled } from "./kind.ts";

/** Makes the command `create NAME`, with an option for each declared field. */
export const createCommand = (
  io: Io,
  kind: ResourceKind,
  declared: DeclaredFields,
  description: string,
  ...shown: readonly Example[]
): Command =>
  withFields(
    withDryRun(new Command("create"), "Say what would be created, and create nothing"),
    declared,
  )
    .description(description)
    .argument("<name>", `Name of the new ${kind.noun}`)
    .addHelpText("after", examples(...shown))
    .action(
      action(io, (session: Session, options: DryRunOption, name: string) =>
        create(session, kind, name, fieldsIn(declared, options), options),
      ),
    );

/** Creates a resource, and says so; in a dry run it only asks the API whether it could. */
async function create(
  { io, client }: Session,
  kind: ResourceKind,
  name: string,
  body: object,
  { dryRun }: DryRunOption,
): Promise<void> {
  const answer = await createNew(client, kind, name, body, dryRun);
  io.out(`${titled(kind, name)} created${dryRunMark({ dryRun })}\n`);
  warn(io, detailsOf(answer));
}

/** Creates a resource that does not exist yet, or asks in a dry run. Returns the answer of the API. Errors: it exists. */
export async function createNew(
  client: PlatClient,
  kind: ResourceKind,
  name: string,
  body: object,
  dryRun?: true,
): Promise<object> {
  const created = client.call<object>({
    method: "PUT",
    path: pathOfObject(kind, name),
    query: { dryRun },
    body,
    ...headersAsSeen(undefined),
  });
  const { body: answer } = await created.catch((error: unknown) => {
    if (!isRejection(error, "precondition_failed")) throw error;
    throw rejectionError(
      error.problem.code,
      `${titled(kind, name)} exists already.`,
      "Use `apply` to change it.",
    );
  });
  return answer;
}
