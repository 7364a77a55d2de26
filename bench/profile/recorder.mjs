// Loaded into the process of a function before its bundle. The first SIGUSR2 begins to count processor time; the second ends
// that and begins a profile; the third writes both. Between two calls the process is frozen, so a signal waits for the next.
import { renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

const SAMPLED_EVERY_US = 200;
const { PROFILE_FILE } = process.env;

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: SAMPLED_EVERY_US });

let before;
let processorUs;
process.on("SIGUSR2", async () => {
  if (!before) {
    before = process.cpuUsage();
  } else if (processorUs === undefined) {
    const { user, system } = process.cpuUsage(before);
    processorUs = user + system;
    await session.post("Profiler.start");
  } else {
    const { profile } = await session.post("Profiler.stop");
    writeFileSync(`${PROFILE_FILE}.part`, JSON.stringify({ processorUs, profile }));
    renameSync(`${PROFILE_FILE}.part`, PROFILE_FILE);
  }
});
