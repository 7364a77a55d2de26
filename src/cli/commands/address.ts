import { Command } from "commander";
import { ADDRESS_COLUMNS, liftQuarantine, readAddress, reportConflict } from "../api/addresses.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { getVerb } from "../resource/get.ts";
import { usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const addressCommand = (io: Io): Command =>
  new Command("address")
    .description("Show single addresses, and report conflicts")
    .addHelpText(
      "after",
      examples(
        ["Show an address, assigned or not", "plat address get 10.0.0.1"],
        [
          "Report that something else uses an address",
          "plat address conflict 10.0.0.1 --handle web-0",
        ],
        ["End the quarantine of an address", "plat address lift 10.0.0.1"],
      ),
    )
    .addCommand(
      printing(getVerb())
        .description("Show one address, assigned or not; `plat show --ip` says the same in words")
        .argument("<ip>", "The address")
        .addHelpText(
          "after",
          examples(
            ["Show an address", "plat address get 10.0.0.1"],
            ["Show every field of it", "plat address get 10.0.0.1 -o yaml"],
            ["Print only its handle", "plat address get 10.0.0.1 -o jsonpath='{.handle}'"],
          ),
        )
        .action(action(io, get)),
    )
    .addCommand(
      printing(new Command("conflict"))
        .description("Report that something else uses an address: nobody gets it for a time")
        .argument("<ip>", "The address")
        .option("--handle <handle>", "The handle that has the address")
        .option("--generation <generation>", "The assignment of the address")
        .addHelpText(
          "after",
          examples([
            "Report a conflict of an address of a handle",
            "plat address conflict 10.0.0.1 --handle web-0",
          ]),
        )
        .action(action(io, conflict)),
    )
    .addCommand(
      printing(new Command("lift"))
        .description("End the quarantine of an address; what is left of its cooldown stays")
        .argument("<ip>", "The address")
        .addHelpText(
          "after",
          examples(["End the quarantine of an address", "plat address lift 10.0.0.1"]),
        )
        .action(action(io, lift)),
    );

async function get({ client, print }: Session, _: object, ip: string): Promise<void> {
  const address = await readAddress(client, ip);
  print({ columns: ADDRESS_COLUMNS, rows: [address], document: address });
}

async function conflict(
  { client, print }: Session,
  { handle, generation }: { readonly handle?: string; readonly generation?: string },
  ip: string,
): Promise<void> {
  if (handle === undefined && generation === undefined)
    throw usageError("a conflict needs --handle or --generation");
  const reported = await reportConflict(client, ip, { handle, generation });
  const { address, quarantinedUntil } = reported;
  print({
    text: () => `${address} is in quarantine until ${quarantinedUntil}\n`,
    document: reported,
    names: [address],
  });
}

async function lift({ client, print }: Session, _: object, ip: string): Promise<void> {
  const lifted = await liftQuarantine(client, ip);
  const { address, availableAt } = lifted;
  const cools = availableAt === undefined ? "" : `; it cools until ${availableAt}`;
  print({
    text: () => `${address} is no longer in quarantine${cools}\n`,
    document: lifted,
    names: [address],
  });
}
