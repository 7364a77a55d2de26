// Ends the processes of the execution environments when the twin is gone, however it went: a frozen process would hear of
// it from nobody. Their ids come by standard input, `+id` as one starts and `-id` as it ends.
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
        // It ended by itself.
      }
    }
  });
// Ctrl-C is for the twin.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
