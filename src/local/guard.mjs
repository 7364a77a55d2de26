// Runs a program for as long as its standard input is open. The process that started this one holds the other end. So
// the program ends with that process, even after kill -9.
import { spawn } from "node:child_process";

const STOP_MS_MAX = 3_000;

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });

child.on("error", (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on("exit", (code) => process.exit(code ?? 1));

process.on("SIGTERM", stop);
process.stdin.on("end", stop).resume();

function stop() {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX).unref();
}
