import type { Command } from "commander";
import { isRecord } from "../../api/schema/schema.ts";
import { isRejection, type PlatClient } from "../../client/index.ts";
import {
  FORMAT_HELP,
  type Format,
  formatOf,
  type Listing,
  type PrintRows,
  type Prose,
  print,
  rowsPrinter,
} from "../output/print.ts";
import type { Io } from "../shell/io.ts";
import { type Connection, clientFor, connectionOf, type GlobalOptions } from "./connection.ts";
import { watchResult } from "./watch.ts";

/** The tools of a command after its line was parsed. */
export interface Session {
  readonly io: Io;
  /** The API that the client calls, and how. */
  readonly connection: Connection;
  readonly client: PlatClient;
  /** Returns the same client in another space. */
  readonly clientIn: (space: string) => PlatClient;
  /** Prints the result in the requested format. */
  readonly print: <Row>(said: Listing<Row> | Prose) => void;
  /** Prints rows as they come, in the requested format. */
  readonly printRows: PrintRows;
}

type Work<Args extends readonly unknown[], Options> = (
  session: Session,
  options: Options,
  ...args: Args
) => Promise<void>;

/**
 * Wraps the action of a command for commander, which passes the arguments, then the options, then the command. A dry run says so on
 * stderr before anything else, and in every document that it prints.
 */
export function action<Args extends readonly unknown[], Options>(
  io: Io,
  work: Work<Args, Options>,
): (...all: unknown[]) => Promise<void> {
  return async (...all) => {
    const command = all.at(-1) as Command;
    const { output, ...globals } = optionsOf(command);
    const { dryRun, ignoreNotFound, watch } = command.opts<ActionOptions>();
    const format = output ?? "table";
    if (dryRun) io.err(DRY_RUN_NOTE);
    const connection = await connectionOf(io, globals);
    const session: Session = {
      io,
      connection,
      client: clientFor(io, connection),
      clientIn: (space) => clientFor(io, { ...connection, space }),
      print: (said) => print(io, format, dryRun ? asDryRun(said) : said),
      printRows: rowsPrinter(io, format),
    };
    // The work does not depend on the format of its output, nor on how often it is done.
    const { output: _, ignoreNotFound: __, watch: ___, ...options } = command.opts<ActionOptions>();
    const done = (tools: Session) =>
      work(tools, options as Options, ...(command.processedArgs as unknown as Args));
    try {
      if (!watch) await done(session);
      else
        await watchResult(io, format, (quiet, told) =>
          done({ ...session, io: quiet, print: told as Session["print"] }),
        );
    } catch (error) {
      if (!(ignoreNotFound && isRejection(error, "not_found"))) throw error;
      await checkPath(session);
    }
  };
}

/** Checks that the endpoint leads to the routes of Plat, because a wrong path answers as an object that does not exist. */
async function checkPath({ client }: Session): Promise<void> {
  try {
    await client.readVersion();
  } catch (error) {
    if (isRejection(error, "not_found")) throw error;
  }
}

/** The options that `action` reads itself. */
interface ActionOptions extends GlobalOptions, DryRunOption {
  readonly output?: Format;
  readonly ignoreNotFound?: true;
  readonly watch?: true;
}

/** Returns the options of a command and those of every command. */
export const optionsOf = (command: Command): GlobalOptions & { readonly output?: Format } =>
  command.optsWithGlobals();

/** Adds the option of a command that names one object: with it, an object that does not exist is no error, as in kubectl. */
export const ignoringNotFound = (command: Command): Command =>
  command.option("--ignore-not-found", "Print nothing, and exit with 0, if it does not exist");

/** The option of a command that can show what it would do. */
export interface DryRunOption {
  readonly dryRun?: true | undefined;
}

/** A dry run prints it on stderr before anything else. */
export const DRY_RUN_NOTE = "Note: this is a dry run; nothing was written.\n";

/** Adds the option of a command that can show what it would do, and write nothing. */
export const withDryRun = (command: Command, preview: string): Command =>
  command.option("--dry-run", preview);

/** Returns the end of a line that says what a command has done: that of a dry run says that nothing is done. */
export const dryRunMark = ({ dryRun }: DryRunOption): string => (dryRun ? " (dry run)" : "");

const asDryRun = <Said extends { readonly document: unknown }>(said: Said): Said =>
  isRecord(said.document) ? { ...said, document: { ...said.document, dryRun: true } } : said;

/** Adds the option for the format to a command that prints. */
export const printing = (command: Command): Command =>
  // kubectl also accepts `-o=json`, which arrives here with its sign of equality.
  command.option("-o, --output <format>", `Output format: ${FORMAT_HELP}`, (text) =>
    formatOf(text.replace(/^=/, "")),
  );
