import { Command } from "commander";
import { ADDRESS_COLUMNS, readAddress } from "../addresses.ts";
import { action, printing, type Session } from "../cli.ts";
import type { Io } from "../io.ts";

export const addressCommand = (io: Io): Command =>
  new Command("address")
    .description("single addresses")
    .addCommand(
      printing(new Command("get"))
        .description("shows one address; plat show --ip tells the same in words")
        .argument("<ip>")
        .action(action(io, get)),
    );

async function get({ client, print }: Session, _: object, ip: string): Promise<void> {
  const address = await readAddress(client, ip);
  print({ columns: ADDRESS_COLUMNS, rows: [address], document: address });
}
