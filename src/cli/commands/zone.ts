import { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { counted } from "../output/count.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { noteIfEmpty } from "../resource/none.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

const EXAMPLES = examples(["Show how many nodes of each zone are ready", "plat zone get"]);

export const zoneCommand = (io: Io): Command =>
  new Command("zone")
    .description("Show the zones of the nodes that clusters report")
    .addHelpText("after", EXAMPLES)
    .addCommand(
      printing(getVerb())
        .description("Show the nodes of each zone, and how disrupted it is")
        .addHelpText("after", EXAMPLES)
        .action(action(io, get)),
    );

const COLUMNS: readonly Column<Answer<"readZones">["zones"][number]>[] = [
  { header: "ZONE", value: ({ zone }) => zone },
  { header: "NODES", value: ({ nodes }) => String(nodes) },
  { header: "READY", value: ({ ready }) => String(ready) },
  { header: "NOT READY", value: ({ notReady }) => String(notReady) },
  { header: "STATE", value: ({ state }) => state, isState: true },
  { header: "EVICTIONS/S", value: ({ evictionsPerSecond }) => String(evictionsPerSecond) },
];

async function get(session: Session): Promise<void> {
  const { io, client, print } = session;
  const document = (await client.readZones()).body;
  print({ columns: COLUMNS, rows: document.zones, document });
  await noteIfEmpty(session, document.zones, "zones");
  const { held } = document.gone;
  if (held > 0)
    io.err(
      `Note: ${counted(held, "ended node keeps", "ended nodes keep")} their addresses, because too many ended at once.\n`,
    );
}
