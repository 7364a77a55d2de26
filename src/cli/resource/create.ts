import { isRejection } from "../../client/index.ts";
import { type DryRunOption, markOf, type Session } from "../invocation/cli.ts";
import { rejection } from "../shell/exit.ts";
import { detailsOf, matching, warn } from "./change.ts";
import { type Kind, pathOf, titled } from "./kind.ts";

/** Creates a resource that does not exist yet; in a dry run it only asks the API whether it could. */
export async function create(
  { io, client }: Session,
  kind: Kind,
  name: string,
  body: object,
  { dryRun }: DryRunOption = {},
): Promise<void> {
  const created = client.call<object>({
    method: "PUT",
    path: pathOf(kind, name),
    query: { dryRun },
    body,
    ...matching(undefined),
  });
  const { body: answer } = await created.catch((error: unknown) => {
    if (!isRejection(error, "precondition_failed")) throw error;
    throw rejection(
      error.problem.code,
      `${titled(kind, name)} exists already.`,
      "Use `apply` to change it.",
    );
  });
  io.out(`${titled(kind, name)} created${markOf({ dryRun })}\n`);
  warn(io, detailsOf(answer));
}
