import { expect, it } from "vitest";
import { serverHelp } from "../../../src/base/server-options.ts";
import { serveCommand } from "../../../src/cli/commands/serve.ts";
import { terminal } from "../terminal.ts";

const { plat, io } = terminal();

const flagsIn = (help: string) => [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag);

it("plat serve --help shows each option that the server's own help has", async () => {
  const own = flagsIn(serverHelp("npm start --")).filter((flag) => flag !== "--help");
  expect(own).toContain("--reclaim-seconds");
  const { exit, out } = await plat("serve", "--help");
  expect(exit).toBe(0);
  expect(flagsIn(out)).toEqual(expect.arrayContaining(own));
});

it.each([
  ["--memory --port 0 --token-file=t", ["--memory", "--port=0", "--token-file=t"]],
  ["--prot 1", ["--prot", "1"]],
  ["--deployed dev --schedule-seconds 5", ["--deployed=dev", "--schedule-seconds", "5"]],
  ["-- --help", ["--help"]],
])("plat serve %s gives the server its options", async (line, expected) => {
  const served: unknown[] = [];
  const command = serveCommand(io(), async (...all) => {
    served.push(all);
    return 0;
  });
  await command.parseAsync(line.split(" "), { from: "user" });
  expect(served).toEqual([[expected, "plat serve"]]);
});
