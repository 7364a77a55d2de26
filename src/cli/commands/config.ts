import { resolve } from "node:path";
import { Command } from "commander";
import { platClient } from "../../client/index.ts";
import { optionsOf, printing } from "../invocation/cli.ts";
import type { GlobalOptions } from "../invocation/connection.ts";
import {
  type ApiContext,
  contextNamed,
  contextsFile,
  readContexts,
  writeContexts,
} from "../invocation/contexts.ts";
import { print } from "../output/print.ts";
import type { Column } from "../output/table.ts";
import { usageError } from "../shell/exit.ts";
import { type Example, examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

const LIST: Example = ["Show the contexts", "plat config get"];
const SET: Example = [
  "Name a server",
  "plat config set lab --endpoint http://ipam.lab:8787 --token-file token",
];
const USE: Example = ["Use it from now on", "plat config use lab"];
const DELETE: Example = ["Forget it", "plat config delete lab"];

/** Makes the command for contexts: names under which a user keeps an endpoint, a space and the way of access. It calls no API. */
export const configCommand = (io: Io): Command => {
  const named = (verb: string, description: string, example: Example) =>
    new Command(verb)
      .description(description)
      .argument("<context>", "Name of the context")
      .addHelpText("after", examples(example));
  return new Command("config")
    .description("Keep an endpoint, a space and the way of access under a name")
    .addHelpText("after", examples(SET, USE, LIST, DELETE))
    .addCommand(
      printing(new Command("get").aliases(["list", "ls", "describe"]))
        .description("Show the contexts")
        .addHelpText("after", examples(LIST))
        .action((_, command: Command) => get(io, command)),
    )
    .addCommand(
      named("set", "Create or replace a context; the first one is current at once", SET)
        .option("--profile <profile>", "Profile of the AWS command line to sign requests with")
        .option("--token-file <file>", "File with the token of the server or of the caller")
        .action((name: string, options: SetOptions, command: Command) =>
          set(io, name, { ...optionsOf(command), ...options }),
        ),
    )
    .addCommand(
      named("use", "Let commands use a context from now on", USE).action((name: string) =>
        use(io, name),
      ),
    )
    .addCommand(
      named("delete", "Delete a context", DELETE).action((name: string) => remove(io, name)),
    );
};

interface SetOptions extends GlobalOptions {
  readonly profile?: string;
  readonly tokenFile?: string;
}

type Row = ApiContext & { readonly name: string; readonly current: boolean };

const COLUMNS: readonly Column<Row>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "CURRENT", value: ({ current }) => (current ? "yes" : "no") },
  { header: "ENDPOINT", value: ({ endpoint }) => endpoint },
  { header: "SPACE", value: ({ space }) => space },
  { header: "REGION", value: ({ region }) => region, wide: true },
  { header: "PROFILE", value: ({ profile }) => profile, wide: true },
  { header: "TOKEN FILE", value: ({ tokenFile }) => tokenFile, wide: true },
];

async function get(io: Io, command: Command): Promise<void> {
  const { current, contexts } = await readContexts(io);
  const rows = Object.entries(contexts).map(([name, context]) => ({
    name,
    current: name === current,
    ...context,
  }));
  const { output = "table" } = optionsOf(command);
  print(io, output, { columns: COLUMNS, rows, document: { contexts: rows } });
  if (rows.length === 0) io.err(`Note: no contexts in ${contextsFile(io.env)}.\n`);
}

async function set(io: Io, name: string, options: SetOptions): Promise<void> {
  const { endpoint, space, region, profile, tokenFile } = options;
  // A script passes an empty text if its variable is not set.
  for (const [option, value] of Object.entries({
    endpoint,
    space,
    region,
    profile,
    "token-file": tokenFile,
  }))
    if (value === "") throw usageError(`--${option} is empty; leave it out, or give it a value.`);
  if (endpoint === undefined) throw usageError("plat config set needs --endpoint.");
  // It throws if the endpoint or the space is not valid.
  platClient({ endpoint, space });
  const before = await readContexts(io);
  // A command in another folder finds it, too.
  const file = tokenFile === undefined ? undefined : resolve(tokenFile);
  const context = { endpoint, space, region, profile, tokenFile: file };
  await writeContexts(io, {
    current: before.current ?? name,
    contexts: { ...before.contexts, [name]: context },
  });
  io.out(`context "${name}" set\n`);
}

async function use(io: Io, name: string): Promise<void> {
  const before = await readContexts(io);
  contextNamed(io, before, name);
  await writeContexts(io, { ...before, current: name });
  io.out(`context "${name}" is current\n`);
}

async function remove(io: Io, name: string): Promise<void> {
  const before = await readContexts(io);
  contextNamed(io, before, name);
  const { [name]: _, ...contexts } = before.contexts;
  await writeContexts(io, {
    ...(before.current !== name && { current: before.current }),
    contexts,
  });
  io.out(`context "${name}" deleted\n`);
}
