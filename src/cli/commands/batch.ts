import { Command } from "commander";
import * as v from "valibot";
import { isRecord } from "../../api/schema/schema.ts";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import type { BatchedRequest, BatchResult } from "../../client/index.ts";
import { isRepeatableInBatch } from "../../client/repeatable.ts";
import { action, type Session } from "../invocation/cli.ts";
import { counted } from "../output/count.ts";
import { CommandError, EXIT, usageError, usageErrors } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";
import { lineOf } from "../shell/text.ts";

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
    io.err(
      `${answered} of ${counted(sent.length, "request")} answered. ${adviceFor(sent, client.space)}\n`,
    );
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

/** Returns how to go on after a batch failed. A repeat of a release without a generation may release a later assignment. */
function adviceFor(sent: readonly FileRequest[], space: string): string {
  const unsafe = sent.filter(({ request }) => !isRepeatableInBatch(request));
  const [first] = unsafe;
  if (!first) return "Run the same command again to get all answers: it assigns nothing twice.";
  const released = first.request.release?.addresses ?? [];
  const entry = released.find(({ generation }) => generation === undefined) ?? released[0];
  const look = lineOf(["address", "get", `${entry?.address}`], space);
  return `${counted(unsafe.length, "release names", "releases name")} no generation, and running them again would also release what was assigned since. Look at their addresses first, such as with \`${look}\`, and take the lines that are done out of the file.`;
}

/** Returns the reason why a request is not done; nothing if it is. An address that is already free is released. */
function whyNotDone({ problem, released }: BatchResult): string | undefined {
  if (problem) return problem.detail;
  const left = released?.results.find(
    ({ status }) => status === "conflict" || status === "unfinished",
  );
  return left && `${left.address} is not released. ${left.detail ?? ""}`.trimEnd();
}

/** A request in a file. */
interface FileRequest {
  readonly request: BatchedRequest;
  /** Its line; absent in a file of JSON. */
  readonly line?: number;
}

/**
 * Returns the requests of a file: one on each line, or those of a JSON list or of a body of `POST /v1/batch`.
 *
 * @throws CommandError with the lines that are no requests
 */
function requestsIn(file: string, text: string): readonly FileRequest[] {
  const problems: string[] = [];
  const requests: FileRequest[] = [];
  for (const { value, where, ...at } of valuesIn(text)) {
    const problem = value instanceof Error ? notOneValue(value) : problemOf(value);
    if (problem !== undefined) problems.push(`${file}, ${where}: ${problem}.`);
    else requests.push({ ...at, request: value as BatchedRequest });
  }
  if (problems.length > 0) throw usageErrors(problems);
  if (requests.length === 0) throw usageError(`${file} has no request.`);
  return requests;
}

interface Found {
  /** An error for a line that is not JSON. */
  readonly value: unknown;
  readonly where: string;
  readonly line?: number;
}

function valuesIn(text: string): readonly Found[] {
  const whole = parsed(text);
  const list = listIn(whole);
  const lines = text
    .split("\n")
    .map((of, index) => ({ of, line: index + 1 }))
    .filter(({ of }) => of.trim() !== "");
  // A request on the only line is the first one of a file with a request on each.
  if (list || lines.length !== 1) {
    if (whole instanceof RepeatedFieldError) return [{ value: whole, where: "the whole" }];
    if (!(whole instanceof Error))
      return (list ?? [whole]).map((value, index) => ({ value, where: `request ${index}` }));
  }
  return lines.map(({ of, line }) => ({ value: parsed(of), where: `line ${line}`, line }));
}

/** Returns the requests of a JSON list, or of a body of `POST /v1/batch`; nothing for another value. */
function listIn(whole: unknown): readonly unknown[] | undefined {
  if (Array.isArray(whole)) return whole;
  return isRecord(whole) && Array.isArray(whole.requests) ? whole.requests : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return error;
  }
}

const notOneValue = (error: Error): string =>
  error instanceof RepeatedFieldError ? error.message : `is not JSON: ${error.message}`;

/** Returns what is wrong with the form of a request. The API judges the rest, each request on its own. */
function problemOf(value: unknown): string | undefined {
  return v.is(FORM, value)
    ? undefined
    : "it must be an object with assign, or with release and its list of addresses, each of them an object";
}

const objects = v.array(v.looseObject({}));

const FORM = v.union([
  v.looseObject({ assign: v.looseObject({ interfaces: v.optional(objects) }) }),
  v.looseObject({ release: v.looseObject({ addresses: objects }) }),
]);
