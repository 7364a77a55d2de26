import { Command, Option } from "commander";
import { EXIT } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

/** The demo is loaded when it is played, and the command knows its options only. */
type Options = import("../../local/demo.ts").DemoOptions;

/** Makes the command that plays a cluster against a server of its own on this machine. */
export const demoCommand = (_: Io): Command =>
  new Command("demo")
    .summary("Play a cluster on this machine, with 1,000 pods")
    .description(
      "Play a cluster on this machine: 1,000 pods get their addresses, half of them are replaced, and all are taken down. The demo has a server, a table and a pool of its own, and removes them at its end.",
    )
    .addOption(
      new Option(
        "--console",
        "Let pods come and go until Ctrl-C, and watch them in the console",
      ).conflicts("deployed"),
    )
    .option("--dynamodb", "Use the embedded DynamoDB (Linux on x64)")
    .option("--deployed [environment]", "In a clone of Plat: use the deployment of dev or prod")
    .addHelpText(
      "after",
      examples(
        ["Play it", "plat demo"],
        ["Watch the blocks of a pool fill and empty in a browser", "plat demo --console"],
      ),
    )
    .action(async (options: Options) => {
      // Loaded here, because every other command would pay for the server too.
      const { demo } = await import("../../local/demo.ts");
      const exit = await demo(options);
      if (exit !== EXIT.done) process.exit(exit);
    });
