import { Command } from "commander";
import { ADDRESSES_PER_PAGE_MAX } from "../../base/limits.ts";
import { action, ignoringNotFound, printing, type Session } from "../invocation/cli.ts";
import { counted } from "../output/count.ts";
import { progressing } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { endList } from "../resource/none.ts";
import { usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { addressesOfHandle, byAddress } from "../space/handles.ts";
import { knownIn } from "../space/lists.ts";
import { ADDRESS_COLUMNS } from "./address.ts";

export const handleCommand = (io: Io): Command =>
  new Command("handle")
    .description("Show handles, and the addresses of one")
    .addHelpText("after", examples(["Show the addresses of a handle", "plat handle get web-0"]))
    .addCommand(
      ignoringNotFound(printing(getVerb()))
        .description("Show the handles that have addresses, or the addresses of one")
        .argument("[handle]", "The handle")
        .option("--prefix <text>", "Only handles that begin with this text")
        .addHelpText(
          "after",
          examples(
            ["Show the addresses of a handle", "plat handle get web-0"],
            ["Print only the addresses, one on each line", "plat handle get web-0 -o name"],
            ["Find the handles that begin with a text", "plat handle get --prefix web-"],
          ),
        )
        .action(action(io, get)),
    );

/** The columns without the handle, because the user has typed it. */
const COLUMNS = ADDRESS_COLUMNS.map((column) =>
  column.header === "HANDLE" ? { ...column, wide: true as const } : column,
);

const HANDLES: readonly Column<{ readonly handle: string }>[] = [
  { header: "HANDLE", value: ({ handle }) => handle },
];

async function list(session: Session, prefix: string | undefined): Promise<void> {
  const { client, print, io } = session;
  const { items, unreadable } = await progressing(io, "handles", (shown) =>
    knownIn(
      client.pages.listHandles({ prefix, limit: ADDRESSES_PER_PAGE_MAX }),
      ({ handles }) => handles,
      (found) => shown.update(counted(found, "handle")),
    ),
  );
  const handles = items.sort((a, b) => (a.handle < b.handle ? -1 : 1));
  const document = { handles };
  print({ columns: HANDLES, rows: handles, document, names: handles.map(({ handle }) => handle) });
  await endList(session, { items: handles, unreadable }, "handles");
}

async function get(
  session: Session,
  { prefix }: { readonly prefix?: string },
  handle?: string,
): Promise<void> {
  if (handle === undefined) return list(session, prefix);
  if (prefix !== undefined) throw usageError(`${handle} is one handle: --prefix filters lists.`);
  const { client, print } = session;
  const addresses = (await addressesOfHandle(client, handle)).toSorted(byAddress);
  print({ columns: COLUMNS, rows: addresses, document: { handle, addresses } });
}
