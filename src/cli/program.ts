import { Command, CommanderError, type OutputConfiguration } from "commander";
import { BUILD } from "../base/build.ts";
import { addressCommand } from "./commands/address.ts";
import { affinityCommand } from "./commands/affinity.ts";
import { alarmCommand } from "./commands/alarm.ts";
import { applicationCommand } from "./commands/application.ts";
import { assignCommand } from "./commands/assign.ts";
import { batchCommand } from "./commands/batch.ts";
import { blockCommand } from "./commands/block.ts";
import { checkCommand } from "./commands/check.ts";
import { collectCommand } from "./commands/collect.ts";
import { completeCommand, completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { configureCommand } from "./commands/configure.ts";
import { demoCommand } from "./commands/demo.ts";
import { eventCommand } from "./commands/event.ts";
import { exportCommand } from "./commands/export.ts";
import { handleCommand } from "./commands/handle.ts";
import { historyCommand } from "./commands/history.ts";
import { hostCommand } from "./commands/host.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { jobCommand } from "./commands/job.ts";
import { loginCommand } from "./commands/login.ts";
import { namespaceCommand } from "./commands/namespace.ts";
import { nodeCommand } from "./commands/node.ts";
import { poolCommand } from "./commands/pool.ts";
import { prefixCommand } from "./commands/prefix.ts";
import { quotaCommand } from "./commands/quota.ts";
import { releaseCommand } from "./commands/release.ts";
import { reservationCommand } from "./commands/reservation.ts";
import { restoreCommand } from "./commands/restore.ts";
import { rollbackCommand } from "./commands/rollback.ts";
import { serveCommand } from "./commands/serve.ts";
import { showCommand } from "./commands/show.ts";
import { spaceCommand } from "./commands/space.ts";
import { splitCommand } from "./commands/split.ts";
import { traceCommand } from "./commands/trace.ts";
import { versionCommand } from "./commands/version.ts";
import { zoneCommand } from "./commands/zone.ts";
import { withGlobalOptions } from "./invocation/connection.ts";
import { linesMeant, unknownCommandIn } from "./resource/meant.ts";
import { CommandError, capital, EXIT, errorText, usageError } from "./shell/exit.ts";
import { commandErrorOf } from "./shell/failed-call.ts";
import { examples, HELP } from "./shell/help.ts";
import type { Io } from "./shell/io.ts";
import { styleOf } from "./shell/style.ts";
import { quoted } from "./shell/text.ts";

/** The commands in the order of the help: daily commands come first. */
const GROUPS: Readonly<Record<string, readonly ((io: Io) => Command)[]>> = {
  "Addresses:": [
    assignCommand,
    releaseCommand,
    batchCommand,
    showCommand,
    addressCommand,
    handleCommand,
    prefixCommand,
    historyCommand,
  ],
  "Pools and settings:": [
    spaceCommand,
    poolCommand,
    splitCommand,
    reservationCommand,
    quotaCommand,
    applicationCommand,
    configureCommand,
  ],
  "Blocks and hosts:": [
    blockCommand,
    affinityCommand,
    hostCommand,
    nodeCommand,
    namespaceCommand,
    zoneCommand,
    eventCommand,
  ],
  "Jobs and checks:": [jobCommand, alarmCommand, checkCommand, collectCommand, restoreCommand],
  "Server and access:": [serveCommand, demoCommand, loginCommand, configCommand, versionCommand],
  "Deployment:": [initCommand, rollbackCommand, traceCommand],
  "Import and export:": [importCommand, exportCommand],
  "Shell completion and help:": [completionCommand],
};

/** The words of commands that change nothing, or run until somebody ends them. Without a reader they end at once. */
const ENDING_WITH_READER: ReadonlySet<string> = new Set([
  "get",
  "show",
  "history",
  "usage",
  "check",
  "export",
  "serve",
  "demo",
]);

/** Runs one command line, without the program's own name, and returns the exit code. All output is written by then. */
export async function run(args: readonly string[], world: Io): Promise<number> {
  const io = withMarkedErrors(world);
  try {
    await programFor(io, args).parseAsync([...args], { from: "user" });
    return EXIT.done;
  } catch (error) {
    // Commander has printed the mistake in the line, or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const failed = commandErrorOf(error) ?? unforeseen(error, io);
    io.err(errorText(failed));
    return failed.exit;
  }
}

/** Colors the first word of messages on stderr, which shows their severity. */
function withMarkedErrors(io: Io): Io {
  const { bad, warning } = styleOf(io.terminal.errHasColors);
  return {
    ...io,
    err: (text) => io.err(text.replace(/^Error:/gm, bad).replace(/^Warning:/gm, warning)),
  };
}

/**
 * Makes the error of an answer that is probably not Plat's, or of a defect of the command; with the trace if PLAT_DEBUG
 * is set.
 */
function unforeseen(error: unknown, { env }: Io): CommandError {
  const line = `Unexpected ${String(error).replace(/\s+/g, " ")}`;
  return new CommandError(
    EXIT.unreachable,
    env.PLAT_DEBUG
      ? `${line}\n${(error as Error).stack}`
      : `${line}\nThe server may not be Plat, or this is a defect of the command. PLAT_DEBUG=1 shows the trace.`,
  );
}

/**
 * Returns the whole command with its help.
 *
 * @param words the line that will be parsed; if it is wrong, the error names the line that may have been meant
 */
export function programFor(io: Io, words: readonly string[] = []): Command {
  const program = withGlobalOptions(
    new Command("plat")
      .description("Operate Plat, an IP address manager, over its API")
      .version(BUILD.version, "-V, --version", "Show the version"),
  );
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const make of commands) program.addCommand(make(io));
  }
  program.addCommand(completeCommand(io), { hidden: true });
  program.hook("preAction", (_, command) => {
    checkArguments(command as Command);
    const words = fullName(command as Command).split(" ");
    if (!words.some((word) => ENDING_WITH_READER.has(word))) io.outlastReader();
  });
  program.addHelpText("after", EXAMPLES).addHelpText("after", ENVIRONMENT);
  const output = outputTo(io, (text) => usageText(text, program, words));
  for (const command of [program, ...descendants(program)]) {
    command
      .exitOverride()
      .helpOption("-h, --help", "Show this help")
      .configureHelp(HELP)
      .configureOutput(output)
      .showHelpAfterError(`  See \`${fullName(command)} --help\`.`);
    if (command.commands.length > 0)
      command.helpCommand("help [command]", "Show the help of a command");
  }
  return program;
}

/** Connects commander's output to the terminal. */
const outputTo = (
  { out, err, terminal }: Io,
  told: (text: string) => string,
): OutputConfiguration => ({
  writeOut: out,
  writeErr: err,
  getOutHasColors: () => terminal.outHasColors,
  getErrHasColors: () => terminal.errHasColors,
  getOutHelpWidth: () => terminal.columns ?? HELP_WIDTH,
  getErrHelpWidth: () => terminal.columns ?? HELP_WIDTH,
  outputError: (text, write) => write(errorText(usageError(told(text)))),
});

/** The width without a terminal. */
const HELP_WIDTH = 80;

const EXAMPLES = examples(
  ["Start a server on this machine", "plat serve --data ./data"],
  ["Create a pool", "plat pool create default-ipv4 --cidr 10.0.0.0/16"],
  [
    "Assign an IPv4 address to a workload on a host",
    "plat assign --host node-1 --ipv4 1 --handle web-0",
  ],
  ["Show how full the pools are", "plat show"],
  ["Release all addresses of the workload", "plat release --handle web-0"],
  ["Show the help of a command", "plat pool drain --help"],
);

const ENVIRONMENT = `
Environment:
  PLAT_ENDPOINT, PLAT_SPACE, PLAT_REGION  as --endpoint, --space and --region
  PLAT_CONTEXT                            as --context
  PLAT_CONFIG                             file with the contexts
  PLAT_TOKEN                              token of the caller or of the server
  PLAT_API_KEY                            key of a usage plan of a private API
  PLAT_DEBUG=1                            show the trace of an unexpected error
  NO_COLOR=1                              print without colors`;

/** Returns commander's text of a usage error in the style of all other errors, with the lines that may have been meant. */
function usageText(text: string, program: Command, words: readonly string[]): string {
  const sentence = capital(text.replace(/^error: /, "").trimEnd());
  const meant = linesMeant(program, words);
  if (meant.length === 0) return sentence;
  const unknown = unknownCommandIn(program, words);
  // Commander names an option of the unknown command, and suggests commands whose letters are similar.
  const [first] =
    unknown === undefined ? sentence.split("\n(Did you mean") : [`Unknown command '${unknown}'`];
  return `${first}\nType ${meant.map((line) => `\`plat ${line.map(quoted).join(" ")}\``).join(" or ")}.`;
}

/**
 * Checks that no argument is empty: a script passes such a name if its variable is not set, and no path can contain it. The words of a
 * line that is being completed may be empty.
 */
function checkArguments(command: Command): void {
  const empty = command.registeredArguments.find(
    ({ variadic }, at) => !variadic && command.args[at] === "",
  );
  if (empty)
    throw usageError(`Argument '${empty.name()}' is empty.\nSee \`${fullName(command)} --help\`.`);
}

const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();

const descendants = (command: Command): Command[] =>
  command.commands.flatMap((child) => [child as Command, ...descendants(child as Command)]);
