#!/usr/bin/env node
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { spinnerOn } from "./output/spinner.ts";
import { run } from "./program.ts";
import { CommandError, EXIT, errorText } from "./shell/exit.ts";
import { onInterrupt } from "./shell/interrupt.ts";
import type { Io } from "./shell/io.ts";

// Commander checks NO_COLOR, FORCE_COLOR and whether the stream is a terminal.
const { getOutHasColors, getErrHasColors } = new Command().configureOutput();

/** True until the command says that it has work to finish. */
let endsWithReader = true;
/** The first error of stdout; nothing is written to it after that. */
let fault: NodeJS.ErrnoException | undefined;
/** The output that stdout has not taken yet: only it may name what the command assigned. */
const pending = new Set<{ readonly said: string }>();
/** The output before that. A disk that becomes full takes a part of it without an error. */
let taken = "";

const io: Io = {
  out: (said) => {
    if (isReaderGone(fault)) return;
    const part = { said };
    pending.add(part);
    if (fault) return;
    process.stdout.write(said, (error) => {
      if (error) return;
      taken = said;
      pending.delete(part);
    });
  },
  err: (said) => process.stderr.write(said),
  progress: (said) => spinnerOn(process.stderr, process.env, said),
  terminal: {
    columns: process.stdout.columns,
    outHasColors: getOutHasColors?.() ?? false,
    errHasColors: getErrHasColors?.() ?? false,
  },
  env: process.env,
  stdin: () => process.stdin,
  nowMs: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  ask: promptOn(process.stdin, process.stderr),
  onInterrupt,
  outlastReader() {
    endsWithReader = false;
  },
};

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  fault ??= error;
  if (!endsWithReader) return;
  if (!isReaderGone(error)) tellFault(error);
  process.exit();
});
process.once("beforeExit", () => {
  if (fault && !isReaderGone(fault)) tellFault(fault);
});
// Messages that nobody can read end nothing either.
process.stderr.on("error", () => {});
process.exitCode = await run(process.argv.slice(2), io);

/** Returns true for the error of a reader that closes the pipe early, such as `head`. That is no error of the command. */
function isReaderGone(error: NodeJS.ErrnoException | undefined): boolean {
  return error?.code === "EPIPE";
}

/** Says that stdout cannot be written, and what it lacks of the output of a command that writes. */
function tellFault({ message }: Error): void {
  const lacking = [taken, ...Array.from(pending, ({ said }) => said)].join("");
  const more = endsWithReader ? "" : `\nIt lacks this output, or a part of it:\n${lacking}`;
  const said = `stdout cannot be written: ${message}${more}`;
  process.stderr.write(errorText(new CommandError(EXIT.unreachable, said)));
  process.exitCode = EXIT.unreachable;
}

/**
 * Returns the function that asks a person a yes-or-no question, with no as default; nothing if no person can answer. It
 * asks on stderr, so that stdout stays for programs.
 */
function promptOn(stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Io["ask"] | undefined {
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return async (message) => {
    const { default: confirm } = await import("@inquirer/confirm");
    try {
      return await confirm({ message, default: false }, { input: stdin, output: stderr });
    } catch (error) {
      // The library reports both Ctrl-C and the end of the input in this way.
      if (!(error instanceof Error && error.name === "ExitPromptError")) throw error;
      throw new CommandError(EXIT.interrupted, "Interrupted: nothing was changed.");
    }
  };
}
