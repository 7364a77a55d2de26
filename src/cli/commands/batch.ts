import { Command } from "commander";
import type { BatchResult } from "../../client/index.ts";
import { requestsIn } from "../batch/read-requests.ts";
import { action, type Session } from "../invocation/cli.ts";
import { counted } from "../output/count.ts";
import { CommandError, EXIT } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";

export const batchCommand = (io: Io): Command =>
  new Command("batch")
    .description("Carry out the assigns and releases in a file, and print the result of each")
    .argument("<file>", "File with one request a line (NDJSON), or with a JSON list; - for stdin")
    .addHelpText(
      "after",
      examples(
        ["Carry out the requests in a file", "plat batch machines.ndjson > results.ndjson"],
        ["Carry out the requests of another program", "make-requests | plat batch -"],
      ),
    )
    .action(action(io, batch));

async function batch({ io, client }: Session, _: unknown, file: string): Promise<void> {
  const sent = requestsIn(file, await readInput(io, file));
  let answered = 0;
  const failed: BatchResult[] = [];
  try {
    for await (const result of client.inBatches(sent.map(({ request }) => request))) {
      const { line } = sent[result.index] ?? {};
      io.out(`${JSON.stringify({ ...(line !== undefined && { line }), ...result })}\n`);
      answered++;
      if (whyNotDone(result) !== undefined) failed.push(result);
    }
  } catch (error) {
    io.err(`${answered} of ${counted(sent.length, "request")} answered. ${REPEAT}\n`);
    throw error;
  }
  const [first] = failed;
  if (!first) return io.err(`${counted(answered, "request")} done.\n`);
  const { line } = sent[first.index] ?? {};
  const where = line === undefined ? `request ${first.index}` : `line ${line}`;
  throw new CommandError(
    EXIT.rejected,
    `${failed.length} of ${counted(answered, "request")} not done; the first is ${where}: ${whyNotDone(first)}`,
  );
}

const REPEAT = "Run the same command again to get all answers: it assigns nothing twice.";

/** Returns the reason why a request is not done; nothing if it is. An address that is already free is released. */
function whyNotDone({ problem, released }: BatchResult): string | undefined {
  if (problem) return problem.detail;
  const left = released?.results.find(
    ({ status }) => status === "conflict" || status === "unfinished",
  );
  return left && `${left.address} is not released. ${left.detail ?? ""}`.trimEnd();
}
