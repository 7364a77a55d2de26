import { Command } from "commander";
import { BUILD, type Build } from "../../base/build.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

/** Makes the command that shows which client and which server there are. */
export const versionCommand = (io: Io): Command =>
  printing(new Command("version"))
    .description("Show version and commit of this command and of the server")
    .addHelpText(
      "after",
      examples(
        ["Show both", "plat version"],
        ["Print the version of the server", "plat version -o jsonpath='{.server.version}'"],
      ),
    )
    .action(action(io, version));

async function version({ client, connection, print }: Session): Promise<void> {
  const tell = (server?: Build) =>
    print({
      text: () =>
        `Client: ${buildText(BUILD)}\n${server ? `Server: ${buildText(server)} at ${connection.endpoint}\n` : ""}`,
      document: { client: BUILD, ...(server && { server }) },
      names: [],
    });
  try {
    tell((await client.readVersion()).body);
  } catch (error) {
    // The client is known without a server, and then the error says why the server is not.
    tell();
    throw error;
  }
}

const buildText = ({ version, commit = "none, run from the sources" }: Build): string =>
  `${version} (commit ${commit})`;
