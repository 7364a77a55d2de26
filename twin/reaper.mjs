// Ends the processes of the execution environments when the twin has ended, for whatever reason, because a frozen
// process does not notice that. Standard input has their ids: `+id` when one starts, `-id` when it ends.
import { createInterface } from "node:readline";

const running = new Set();

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const pid = Number(line.slice(1));
    if (line.startsWith("+")) running.add(pid);
    else running.delete(pid);
  })
  .on("close", () => {
    for (const pid of running) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended already.
      }
    }
  });
// Ctrl-C is for the twin only.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
