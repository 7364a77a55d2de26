import { Command, Option } from "commander";
import { action, printing, type Session } from "../invocation/cli.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { showAddress } from "../show/address.ts";
import { showBorrowed } from "../show/borrowed.ts";
import { showPools } from "../show/pools.ts";
import { showConfiguration } from "./configure.ts";

export const showCommand = (io: Io): Command =>
  printing(new Command("show"))
    .description("Show how full each pool is, or who has an address")
    .addHelpText(
      "after",
      examples(
        ["Show the use of each pool", "plat show"],
        ["Also show each block", "plat show --show-blocks"],
        ["Show whether an address is in use, and by whom", "plat show --ip 10.0.0.20"],
        ["Show the settings of the space", "plat show --show-configuration"],
      ),
    )
    .option("--show-blocks", "Also show each block; blocks without a pool come last")
    .addOption(
      new Option(
        "--show-borrowed",
        "Show the addresses that hosts have in blocks of others",
      ).conflicts(["showBlocks"]),
    )
    .addOption(
      new Option("--show-configuration", "Show the settings of the space").conflicts([
        "showBlocks",
        "showBorrowed",
      ]),
    )
    .addOption(
      new Option("--ip <ip>", "Show whether this address is in use, and by whom").conflicts([
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
