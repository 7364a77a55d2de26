// Imports one bundle in a process of its own, as Lambda does, and prints the time that it took.
const [, , url] = process.argv;
const startedMs = performance.now();
const before = process.cpuUsage();
await import(url);
const wallMs = performance.now() - startedMs;
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ wallMs, processorMs: (user + system) / 1_000 }));
// Does not wait for timers of the bundle.
process.exit(0);
