/**
 * `npm run rollback -- --env prod`: undoes the last deployment of the functions, as `plat rollback` does for any stack.
 * `--before TIME` goes further back, and `--dry-run` changes nothing. `--region R` rolls back in another Region of the
 * environment.
 */
import { parseArgs } from "node:util";
import { UsageError } from "../src/local/usage-error.ts";
import { RollbackError, rollBack } from "../src/rollback/roll-back.ts";
import { runCommand } from "./command.ts";

process.exitCode = await runCommand(async ({ region, stack, profile, rest }) => {
  const { values } = parseArgs({
    args: [...rest],
    options: {
      before: { type: "string" },
      "dry-run": { type: "boolean", default: false },
      profile: { type: "string" },
      context: { type: "string", short: "c", multiple: true },
    },
  });
  const { before, "dry-run": dryRun } = values;
  const asked = { stack, region, profile, before, dryRun };
  const moved = await rollBack(asked, console.log).catch((error) => {
    throw error instanceof RollbackError ? new UsageError(error.message) : error;
  });
  return moved === 0 ? 1 : 0;
});
