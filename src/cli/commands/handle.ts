import { Command } from "commander";
import { compareAddresses, parseAddress } from "../../domain/address.ts";
import { ADDRESS_COLUMNS } from "../addresses.ts";
import { action, printing, type Session } from "../cli.ts";
import { type OwnedAddress, readHandle } from "../handles.ts";
import type { Io } from "../io.ts";

export const handleCommand = (io: Io): Command =>
  new Command("handle")
    .description("what addresses are found by")
    .addCommand(
      printing(new Command("get"))
        .description("shows all addresses that a handle has")
        .argument("<handle>")
        .action(action(io, get)),
    );

async function get({ client, print }: Session, _: object, handle: string): Promise<void> {
  const addresses = (await readHandle(client, handle)).toSorted(byAddress);
  print({ columns: ADDRESS_COLUMNS, rows: addresses, document: { handle, addresses } });
}

/** The API tells them assignment by assignment. */
function byAddress(a: OwnedAddress, b: OwnedAddress): number {
  const [first, second] = [parseAddress(a.address), parseAddress(b.address)];
  return first.ok && second.ok ? compareAddresses(first.value, second.value) : 0;
}
