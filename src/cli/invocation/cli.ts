import { Command } from "commander";
import { SPACE_DEFAULT } from "../../api/route.ts";
import { isRecord } from "../../api/schema/schema.ts";
import { isRejection, type PlatClient, platClient } from "../../client/index.ts";
import { PORT_DEFAULT } from "../../local/server-options.ts";
import {
  FORMAT_HELP,
  type Format,
  formatOf,
  type Listing,
  type Prose,
  print,
} from "../output/print.ts";
import type { Io } from "../shell/io.ts";

const ENDPOINT_DEFAULT = `http://127.0.0.1:${PORT_DEFAULT}`;

/** The tools of a command after its line was parsed. */
export interface Session {
  readonly io: Io;
  readonly client: PlatClient;
  /** Returns the same client in another space. */
  readonly clientIn: (space: string) => PlatClient;
  /** Prints the result in the requested format. */
  readonly print: <Row>(said: Listing<Row> | Prose) => void;
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
    const { output, ...globals } = command.optsWithGlobals<GlobalOptions>();
    const { dryRun, ignoreNotFound } = command.opts<DryRunOption & AbsenceOption>();
    if (dryRun) io.err(DRY_RUN_NOTE);
    const session: Session = {
      io,
      client: clientOf(io, globals),
      clientIn: (space) => clientOf(io, { ...globals, space }),
      print: (said) => print(io, output ?? "table", dryRun ? asDryRun(said) : said),
    };
    // The work does not depend on the format of its output.
    const {
      output: _,
      ignoreNotFound: __,
      ...options
    } = command.opts<GlobalOptions & AbsenceOption>();
    try {
      await work(session, options as Options, ...(command.processedArgs as unknown as Args));
    } catch (error) {
      if (!(ignoreNotFound && isRejection(error, "not_found"))) throw error;
    }
  };
}

interface AbsenceOption {
  readonly ignoreNotFound?: true;
}

/** Adds the option of a command that names one object: with it, an object that does not exist is no error, as in kubectl. */
export const ignoringNotFound = (command: Command): Command =>
  command.option("--ignore-not-found", "Print nothing, and exit with 0, if it does not exist");

/** The option of a command that can show what it would do. */
export interface DryRunOption {
  readonly dryRun?: true | undefined;
}

const DRY_RUN_NOTE = "Note: this is a dry run; nothing was written.\n";

/** Adds the option of a command that can show what it would do, and write nothing. */
export const withDryRun = (command: Command, preview: string): Command =>
  command.option("--dry-run", preview);

/** Returns the end of a line that says what a command has done: that of a dry run says that nothing is done. */
export const markOf = ({ dryRun }: DryRunOption): string => (dryRun ? " (dry run)" : "");

const asDryRun = <Said extends { readonly document: unknown }>(said: Said): Said =>
  isRecord(said.document) ? { ...said, document: { ...said.document, dryRun: true } } : said;

/** Returns the client of the API that the options name, or else the environment. */
export const clientOf = (io: Io, { endpoint, space, region }: GlobalOptions): PlatClient =>
  platClient(
    {
      // An empty variable counts as unset, because scripts leave such ones.
      endpoint: endpoint ?? (io.env.PLAT_ENDPOINT || ENDPOINT_DEFAULT),
      space: space ?? (io.env.PLAT_SPACE || undefined),
      region: region ?? (io.env.PLAT_REGION || undefined),
      token: io.env.PLAT_TOKEN || undefined,
      apiKey: io.env.PLAT_API_KEY || undefined,
    },
    { sleep: io.sleep },
  );

/** Returns the global options of a line whose last word is incomplete. */
export function globalOptionsIn(words: readonly string[]): GlobalOptions {
  const over = words.slice(0, -1);
  // The user is typing the value of this option.
  if (over.at(-1)?.startsWith("-")) over.pop();
  const command = withGlobalOptions(new Command());
  command.parseOptions(over);
  return command.opts<GlobalOptions>();
}

interface GlobalOptions {
  readonly endpoint?: string;
  readonly space?: string;
  readonly region?: string;
  readonly output?: Format;
}

/** Adds the options of every command: endpoint, address space and Region. */
export const withGlobalOptions = (program: Command): Command =>
  program
    .option("--endpoint <url>", `URL of the API; default: PLAT_ENDPOINT, else ${ENDPOINT_DEFAULT}`)
    .option(
      "--space <space>",
      `Address space (VRF) to work in; default: PLAT_SPACE, else ${SPACE_DEFAULT}`,
    )
    .option(
      "--region <region>",
      "AWS Region to sign requests for, when the endpoint has a domain name of its own; default: PLAT_REGION",
    );

/** Adds the option for the format to a command that prints. */
export const printing = (command: Command): Command =>
  // kubectl also accepts `-o=json`, which arrives here with its sign of equality.
  command.option("-o, --output <format>", `Output format: ${FORMAT_HELP}`, (text) =>
    formatOf(text.replace(/^=/, "")),
  );
