#!/usr/bin/env node
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ora } from "ora";
import type { Io } from "./io.ts";
import { run } from "./program.ts";

/** `plat`: the command of this process. */
const io: Io = {
  out: (said) => process.stdout.write(said),
  err: (said) => process.stderr.write(said),
  progress,
  env: process.env,
  stdin: () => text(process.stdin),
  nowMs: Date.now,
  sleep: (ms) => sleep(ms),
};

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
process.exitCode = await run(process.argv.slice(2), io);

/** A spinner where a person looks on; nothing at all in a pipe or a log. It is gone before anything else is said. */
function progress(said: string) {
  let text = said;
  let over = !process.stderr.isTTY;
  let spinner: Ora | undefined;
  if (!over)
    void import("ora").then(({ default: ora }) => {
      if (!over) spinner = ora(text).start();
    });
  return {
    update(next: string) {
      text = next;
      if (spinner) spinner.text = next;
    },
    done() {
      over = true;
      spinner?.stop();
    },
  };
}
