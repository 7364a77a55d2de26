import { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { counted } from "../output/count.ts";
import { progressing } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { endList } from "../resource/none.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { knownIn } from "../space/lists.ts";

const EXAMPLES = examples(["Show every host that owns or uses something", "plat host get"]);

export const hostCommand = (io: Io): Command =>
  new Command("host")
    .description("Show the hosts that own blocks or use addresses")
    .addHelpText("after", EXAMPLES)
    .addCommand(
      printing(getVerb())
        .description("Show the hosts that own a block or use an address, registered or not")
        .addHelpText("after", EXAMPLES)
        .action(action(io, get)),
    );

type Host = Answer<"listHosts">["hosts"][number];

const COLUMNS: readonly Column<Host>[] = [
  { header: "HOST", value: ({ host }) => host, long: "cut" },
  { header: "TYPE", value: ({ affinityType }) => affinityType },
  { header: "BLOCKS", value: ({ blocks }) => blocks },
  { header: "OTHER BLOCKS", value: ({ otherBlocks }) => otherBlocks },
];

async function get(session: Session): Promise<void> {
  const { client, print, io } = session;
  const { items, unreadable } = await progressing(io, "hosts", (shown) =>
    knownIn(
      client.pages.listHosts(),
      ({ hosts }) => hosts,
      (found) => shown.update(counted(found, "host")),
    ),
  );
  const hosts = items.sort((a, b) => (a.host < b.host ? -1 : 1));
  print({ columns: COLUMNS, rows: hosts, document: { hosts } });
  await endList(session, { items: hosts, unreadable }, "hosts");
}
