import { expect, it } from "vitest";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, server } = shell;
const pool = spaceWithPool(shell);

const unreadable = [{ item: "block 10.0.0.0", reason: "the item of block 10.0.0.0 is damaged" }];
it.each([
  ["block get", { blocks: [], unreadable }],
  ["block get --calico", { blocks: [], unreadable }],
  ["show --show-borrowed", { blocks: [], unreadable }],
  ["affinity get", { affinities: [], unreadable }],
  ["affinity get --host n1", { host: "n1", affinityType: "host", affinities: [], unreadable }],
  ["alarm get", { alarms: [], unreadable }],
  ["release --host n1 --dry-run", { addresses: [], unreadable }],
  ["node delete n1 --release --dry-run", { addresses: [], blocks: [], unreadable }],
])("plat %s ends with an error for what the API could not read", async (line, page) => {
  await pool();
  const url = await wayTo(server().url, async ({ route }) =>
    /addresses|blocks|affinities|alarms/i.test(route) ? page : undefined,
  );
  const { exit, out, err } = await plat(...line.split(" "), "--endpoint", url);
  expect({ exit, isPrinted: out !== "" }).toEqual({ exit: 1, isPrinted: true });
  expect(err).toContain("Error: The item of block 10.0.0.0 is damaged.\n");
  expect(err).toContain("code: unreadable\n");
});
