import { isRejection } from "../../client/index.ts";
import { type DryRunOption, dryRunMark, type Session } from "../invocation/cli.ts";
import { rejectionError } from "../shell/exit.ts";
import { detailsOf, headersAsSeen, warn } from "./change.ts";
import { pathOfObject, type ResourceKind, titled } from "./kind.ts";

/** Creates a resource that does not exist yet; in a dry run it only asks the API whether it could. */
export async function create(
  { io, client }: Session,
  kind: ResourceKind,
  name: string,
  body: object,
  { dryRun }: DryRunOption = {},
): Promise<void> {
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
  io.out(`${titled(kind, name)} created${dryRunMark({ dryRun })}\n`);
  warn(io, detailsOf(answer));
}
