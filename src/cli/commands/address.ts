import { Command } from "commander";
import { ADDRESS_COLUMNS, readAddress } from "../api/addresses.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { getVerb } from "../resource/get.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const addressCommand = (io: Io): Command =>
  new Command("address")
    .description("Show single addresses")
    .addHelpText(
      "after",
      examples(["Show an address, assigned or not", "plat address get 10.0.0.1"]),
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
    );

async function get({ client, print }: Session, _: object, ip: string): Promise<void> {
  const address = await readAddress(client, ip);
  print({ columns: ADDRESS_COLUMNS, rows: [address], document: address });
}
