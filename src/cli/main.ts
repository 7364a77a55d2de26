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
let hasReader = true;
/** The output of a command that writes: only it may name what the command assigned. */
let output = "";

const io: Io = {
  out: (said) => {
    if (!endsWithReader) output += said;
    if (hasReader) process.stdout.write(said);
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

// A reader that closes the pipe early, such as `head`, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") {
    if (endsWithReader) process.exit();
    hasReader = false;
    return;
  }
  const done = "The command may have done its work";
  const of = output === "" ? `${done}.` : `${done}, with this output:\n${output}`;
  const said = `stdout cannot be written: ${error.message}${endsWithReader ? "" : `\n${of}`}`;
  process.stderr.write(errorText(new CommandError(EXIT.unreachable, said)));
  process.exit(EXIT.unreachable);
});
// Messages that nobody can read end nothing either.
process.stderr.on("error", () => {});
process.exitCode = await run(process.argv.slice(2), io);

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
