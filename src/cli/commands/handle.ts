import { Command } from "commander";
import { compareAddresses, parseAddress } from "../../domain/address.ts";
import { ADDRESS_COLUMNS } from "../api/addresses.ts";
import { type OwnedAddress, readHandle } from "../api/handles.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { getVerb } from "../resource/get.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const handleCommand = (io: Io): Command =>
  new Command("handle")
    .description("Show the addresses of a handle")
    .addHelpText("after", examples(["Show the addresses of a handle", "plat handle get web-0"]))
    .addCommand(
      printing(getVerb())
        .description("Show the addresses of a handle")
        .argument("<handle>", "The handle")
        .addHelpText(
          "after",
          examples(
            ["Show the addresses of a handle", "plat handle get web-0"],
            ["Print only the addresses, one on each line", "plat handle get web-0 -o name"],
          ),
        )
        .action(action(io, get)),
    );

/** The columns without the handle, because the user has typed it. */
const COLUMNS = ADDRESS_COLUMNS.map((column) =>
  column.header === "HANDLE" ? { ...column, wide: true as const } : column,
);

async function get({ client, print }: Session, _: object, handle: string): Promise<void> {
  const addresses = (await readHandle(client, handle)).toSorted(byAddress);
  print({ columns: COLUMNS, rows: addresses, document: { handle, addresses } });
}

/** Compares by address; the API returns them assignment by assignment. */
function byAddress(a: OwnedAddress, b: OwnedAddress): number {
  const [first, second] = [parseAddress(a.address), parseAddress(b.address)];
  return first.ok && second.ok ? compareAddresses(first.value, second.value) : 0;
}
