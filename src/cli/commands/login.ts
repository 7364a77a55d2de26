import { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

/** Makes the command that tries the way of access, and says who the caller is. */
export const loginCommand = (io: Io): Command =>
  printing(new Command("login"))
    .description("Try the way of access, and show who you are and what you may do")
    .addHelpText(
      "after",
      examples(
        ["Try the current context", "plat login"],
        ["Try another one", "plat login --context prod"],
      ),
    )
    .action(action(io, login));

async function login({ client, connection, print }: Session): Promise<void> {
  const { body } = await client.readPrincipal();
  const { endpoint } = connection;
  const { principal, tenant } = body;
  const lines = [
    `You are ${principal}${tenant === undefined ? "" : ` of tenant ${tenant}`} at ${endpoint}.`,
    grantsIn(body),
    `Commands work in space "${client.space}".`,
  ];
  print({
    text: () => `${lines.join("\n")}\n`,
    document: { endpoint, space: client.space, ...body },
    names: [principal],
  });
}

function grantsIn({ grants }: Answer<"readPrincipal">): string {
  if (!grants) return "The IAM policies of your AWS account decide what you may do.";
  if (grants.length === 0) return "You have no role. An operator of the API grants roles.";
  const each = grants.map(({ role, space }) =>
    space === "*" ? `${role} in every space` : `${role} in space "${space}"`,
  );
  return `Your roles: ${each.join(", ")}.`;
}
