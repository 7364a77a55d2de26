/** The port of a server, and of the API that `plat` calls if nothing names another one. */
export const PORT_DEFAULT = 8787;

/** An option of the server: a flag, or a value of which the help has this name. */
export interface ServerOption {
  readonly value?: string;
  readonly default?: string;
  readonly words: string;
}

/** The options of the server, for its own command line and for `plat serve`, in the order of the help. */
export const SERVER_OPTIONS = {
  data: {
    value: "dir",
    words:
      "Keep data in this directory; by default a folder of the user's data directory, which the first line names",
  },
  memory: { words: "Keep nothing: data is gone when the server stops" },
  dynamodb: {
    words:
      "Use the embedded DynamoDB (Linux on x64); it keeps data with --data, and otherwise nothing",
  },
  port: { value: "n", default: `${PORT_DEFAULT}`, words: "Port to listen on; 0 for any free one" },
  listen: {
    value: "address",
    default: "127.0.0.1",
    words: "Address to listen on; one that other machines reach needs a token",
  },
  "token-file": {
    value: "file",
    words: "Accept only requests with the token in this file, as Authorization: Bearer",
  },
  "reclaim-seconds": {
    value: "n",
    default: "60",
    words: "Seconds between runs of reclaim, which deletes empty blocks",
  },
  "repair-seconds": {
    value: "n",
    default: "60",
    words: "Seconds between runs of repair, which finishes what crashes left",
  },
  "work-seconds": {
    value: "n",
    default: "60",
    words: "Seconds between runs of work, which continues jobs",
  },
} as const satisfies Readonly<Record<string, ServerOption>>;

type Options = typeof SERVER_OPTIONS;

/** The values of the options: a text, a text or nothing if there is no default, or whether a flag is there. */
export type ServerValues = {
  readonly [Name in keyof Options]: Options[Name] extends { readonly default: string }
    ? string
    : Options[Name] extends { readonly value: string }
      ? string | undefined
      : boolean;
};

/** Returns each option with its flags as a help shows them, and its words with the default. */
export const shownOptions = (): readonly (readonly [flags: string, words: string])[] =>
  Object.entries<ServerOption>(SERVER_OPTIONS).map(([name, { value, default: by, words }]) => [
    value === undefined ? `--${name}` : `--${name} <${value}>`,
    by === undefined ? words : `${words}; default: ${by}`,
  ]);

/** The option that another program reads: the twin of a deployment, with options of its own. */
export const DEPLOYED_OPTION = [
  "--deployed [environment]",
  "Run the deployment of dev or prod, which has options of its own: see docs/twin.md",
] as const;

/** The variables of the environment that the server reads. */
export const SERVER_VARIABLES = `
PLAT_TOKEN=TOKEN is the token where there is no --token-file.
DYNAMODB_ENDPOINT=URL uses a DynamoDB that runs elsewhere.
LOG_LEVEL=INFO prints a line for every request.
`;

const FLAGS_WIDTH = 26;

/** Returns the help of the server. */
export const serverHelp = (command: string): string =>
  [
    `${command} [options]\n`,
    ...[...shownOptions(), DEPLOYED_OPTION, ["--help", "Show this help"]].map(
      ([flags = "", words = ""]) => `  ${flags.padEnd(FLAGS_WIDTH)}${words}`,
    ),
    SERVER_VARIABLES,
  ].join("\n");
