import { Command, Option } from "commander";
import { action, printing, type Session } from "../cli.ts";
import type { Io } from "../io.ts";
import { showAddress } from "../show/address.ts";
import { showBorrowed } from "../show/borrowed.ts";
import { showConfiguration } from "../show/configuration.ts";
import { showPools } from "../show/pools.ts";

export const showCommand = (io: Io): Command =>
  printing(new Command("show"))
    .description("shows how the addresses of each pool are used")
    .option("--show-blocks", "also those of each block; blocks of no pool come last")
    .addOption(
      new Option("--show-borrowed", "what hosts have in blocks of others").conflicts([
        "showBlocks",
      ]),
    )
    .addOption(
      new Option("--show-configuration", "the configuration of the space").conflicts([
        "showBlocks",
        "showBorrowed",
      ]),
    )
    .addOption(
      new Option("--ip <ip>", "whether this address is in use, and by whom").conflicts([
        "showBlocks",
        "showBorrowed",
        "showConfiguration",
      ]),
    )
    .action(action(io, show));

interface ShowOptions {
  readonly showBlocks?: true;
  readonly showBorrowed?: true;
  readonly showConfiguration?: true;
  readonly ip?: string;
}

async function show(session: Session, options: ShowOptions): Promise<void> {
  const { showBlocks, showBorrowed: borrowed, showConfiguration: configuration, ip } = options;
  if (ip !== undefined) return showAddress(session, ip);
  if (configuration) return showConfiguration(session);
  if (borrowed) return showBorrowed(session);
  return showPools(session, { blocks: showBlocks === true });
}
