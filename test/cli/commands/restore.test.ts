import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TableFrozenError } from "../../../src/base/outcome.ts";
import { createTable } from "../../../src/local/create-table.ts";
import { type Emulator, emulatorBinary, startEmulator } from "../../../src/local/emulator.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import { trailLineOf } from "../../../src/publish/trail-line.ts";
import type { ItemChange } from "../../../src/table/change-log.ts";
import { openTable } from "../../../src/table/format.ts";
import { guardedTable } from "../../../src/table/guarded-table.ts";
import type { Item } from "../../../src/table/item.ts";
import { kindNameOf } from "../../../src/table/kinds.ts";
import { thawTable } from "../../../src/table/register-item.ts";
import { contextOf, dynamoClient, identityIn, tableIn } from "../../../src/wiring.ts";
import { recorded } from "../../restore/trail.ts";
import { assignedOneByOne, poolOf, SPACE } from "../../world.ts";
import { DRY_RUN, terminal } from "../terminal.ts";

const { platWith } = terminal();

const LOST = "plat-lost";
const RESTORED = "plat-restored";
const ASSIGNED = 32;

describe.runIf(emulatorBinary())("plat restore", () => {
  let emulator: Emulator;
  let client: DynamoDBClient;
  let folder: string;
  let living: readonly string[];

  beforeAll(async () => {
    emulator = await startEmulator();
    client = dynamoClient(emulator.endpoint);
    folder = await mkdtemp(join(tmpdir(), "plat-"));
    await createTable(client, LOST);
    await createTable(client, RESTORED);
    const changes: ItemChange[] = [];
    const lost = recorded(tableIn(client, LOST), changes);
    await openTable(lost);
    await thawTable(lost, await identityIn(client, LOST), Date.now());
    const context = contextOf(lost);
    await putPool(context, SPACE, "pool", poolOf("10.0.0.0/24", 28), undefined);
    const earlier = await assignedOneByOne(context, "before", 8);
    const backup = tableIn(client, RESTORED);
    for (const item of (await lost.scan(1_000)).items)
      await backup.write({ step: "backup", key: item, when: [], change: { kind: "put", item } });
    living = [...earlier, ...(await assignedOneByOne(context, "after", ASSIGNED))];
    const lines = changes.flatMap((change) => trailLineOf(change) ?? []);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`);
    await mkdir(join(folder, "trail", "changes"), { recursive: true });
    await writeFile(join(folder, "trail", "changes", "1.jsonl"), text.slice(0, 40).join(""));
    const rest = gzipSync(text.slice(40).join(""));
    await writeFile(join(folder, "trail", "changes", "2.jsonl.gz"), rest);
    await mkdir(join(folder, "empty"));
    await mkdir(join(folder, "torn"));
    await writeFile(join(folder, "torn", "1.jsonl"), '{"sequence": "1"}\n');
    await mkdir(join(folder, "part"));
    await writeFile(join(folder, "part", "2.jsonl.gz"), rest);
  });
  afterAll(async () => {
    client.destroy();
    await emulator.stop();
    await rm(folder, { recursive: true });
  });

  const plat = (...args: readonly string[]) =>
    platWith({ env: { DYNAMODB_ENDPOINT: emulator.endpoint } }, ...args);
  const restore = (trail: string, ...more: readonly string[]) =>
    plat("restore", "--table", RESTORED, "--trail", join(folder, trail), ...more);
  /** Returns a function that has just started over the restored table. */
  const started = () =>
    contextOf(
      guardedTable(tableIn(client, RESTORED), {
        identify: () => identityIn(client, RESTORED),
        now: Date.now,
      }),
    );

  it("rejects a trail that it cannot read, and writes nothing", async () => {
    expect(await restore("nowhere")).toMatchObject({ exit: 2, out: "" });
    expect((await restore("empty")).err).toContain("has no file of an audit trail");
    expect((await restore("torn")).err).toBe(
      "Error: 1.jsonl, line 1, is no line of the audit trail: sequence must have 40 digits; item is required; key is required; and 1 more.\n  Nothing was written.\n",
    );
  });

  it("says that the table is out of reach, and that it can run again", async () => {
    const { exit, err } = await plat(
      "restore",
      "--table",
      "no-table",
      "--trail",
      join(folder, "trail"),
    );
    expect({ exit, err }).toMatchObject({
      exit: 3,
      err: expect.stringContaining("Cannot reach the table"),
    });
  });

  it("says that it cannot read a pool, which another run with the same version cannot either", async () => {
    const backup = tableIn(client, RESTORED);
    const { items } = await backup.scan(1_000);
    const pools = items.filter((item) => kindNameOf(item) === "SPACE/POOL");
    const write = (item: Item) =>
      backup.write({ step: "upgrade", key: item, when: [], change: { kind: "put", item } });
    expect(pools).toHaveLength(1);
    for (const item of pools) await write({ ...item, f: 9_999 });
    const read = await inventory("address,handle,host\n10.0.0.200,far,node-1\n");
    for (const item of pools) await write(item);
    expect(read).toMatchObject({
      exit: 4,
      out: "",
      err: expect.stringMatching(
        /Warning: The item of pool .* has format 9999, and this version reads format \d+\.\n {2}The restore stopped there, and did not let plat-restored serve\. Run it again with the version that wrote the item\.\n$/,
      ),
    });
  });

  it("needs a trail or an inventory", async () => {
    expect(await plat("restore", "--table", RESTORED, "-y")).toMatchObject({
      exit: 2,
      err: expect.stringContaining("--trail or --inventory is required"),
    });
  });

  it("stays frozen while it cannot adopt an address", async () => {
    const stdin = "address,handle,host\n192.168.7.7,far,node-1\n";
    const { exit, err } = await platWith(
      { env: { DYNAMODB_ENDPOINT: emulator.endpoint, PLAT_SPACE: SPACE }, stdin },
      ...["restore", "--table", RESTORED, "--inventory", "-", "-y"],
    );
    expect(exit).toBe(4);
    expect(err).toContain("1 address could not be adopted; plat-restored stays frozen.");
    await expect(assignedOneByOne(started(), "again", 1)).rejects.toThrow(TableFrozenError);
  });

  /** Returns what a restore with a table of the addresses of the space would do. */
  const inventory = async (stdin: string) =>
    platWith(
      { env: { DYNAMODB_ENDPOINT: emulator.endpoint, PLAT_SPACE: SPACE }, stdin },
      ...["restore", "--table", RESTORED, "--inventory", "-", "--dry-run"],
    );

  it("rejects an empty file, which is what a failed export leaves, and takes a header alone", async () => {
    const { exit, err } = await inventory("");
    expect({ exit, err }).toEqual({
      exit: 2,
      err: `${DRY_RUN}Error: stdin is empty; its first line must name the columns address,handle,host,attributes,affinityType, of which attributes and affinityType may be left out.\n`,
    });
    expect((await inventory("address,handle,host\n")).exit).toBe(0);
  });

  it("rejects two inventories of stdin, because the second would be empty", async () => {
    const line = ["restore", "--table", RESTORED, "--inventory", "a=-", "--inventory", "b=-"];
    expect(await platWith({ stdin: "address,handle,host\n" }, ...line, "-y")).toEqual({
      exit: 2,
      out: "",
      err: "Error: - is named twice; stdin can be read once.\n",
    });
  });

  it("names a space without an inventory, and how a space without addresses is told", async () => {
    const line = ["restore", "--table", RESTORED, "--inventory", "-", "--dry-run"];
    const { exit, err } = await platWith(
      { env: { DYNAMODB_ENDPOINT: emulator.endpoint }, stdin: "address,handle,host\n" },
      ...line,
    );
    expect(exit).toBe(4);
    expect(err).toContain(
      `Add the table of each space: --inventory ${SPACE}=FILE. If it has no addresses, its table is the line address,handle,host alone.`,
    );
  });

  it("names the pools of prefixes, of which only a trail can tell, and be it an empty one", async () => {
    const name = "plat-prefixes";
    await createTable(client, name);
    const table = tableIn(client, name);
    await openTable(table);
    await thawTable(table, await identityIn(client, LOST), Date.now());
    const clusters = { ...poolOf("10.128.0.0/16", 24), assign: "prefixes" } as const;
    await putPool(contextOf(table), SPACE, "clusters", clusters, undefined);
    const { exit, err } = await platWith(
      {
        env: { DYNAMODB_ENDPOINT: emulator.endpoint, PLAT_SPACE: SPACE },
        stdin: "address,handle,host\n",
      },
      ...["restore", "--table", name, "--inventory", "-", "-y"],
    );
    expect({ exit, err }).toEqual({
      exit: 4,
      err: `Warning: No inventory has the prefixes of pool clusters of space ${SPACE}; ${name} stays frozen.\n  Only the audit trail says which of them were assigned after the backup: add --trail DIRECTORY. If there is none, docs/restore.md says what to do.\n`,
    });
    const empty = await mkdtemp(join(tmpdir(), "plat-trail-"));
    await writeFile(join(empty, "none.jsonl"), "");
    const withEmptyTrail = (...beside: readonly string[]) =>
      platWith(
        {
          env: { DYNAMODB_ENDPOINT: emulator.endpoint, PLAT_SPACE: SPACE },
          stdin: "address,handle,host\n",
        },
        ...["restore", "--table", name, "--trail", empty, ...beside, "-y"],
      );
    expect(await withEmptyTrail()).toMatchObject({
      exit: 4,
      err: expect.stringContaining(`No inventory says what lives in space ${SPACE}`),
    });
    expect(await withEmptyTrail("--inventory", "-")).toMatchObject({
      exit: 0,
      out: expect.stringContaining("serves within a minute"),
    });
    await rm(empty, { recursive: true });
  });

  it("names both places of an address that inventories have twice, and adopts nothing", async () => {
    const [first = ""] = living;
    const table = `address,handle,host\n${first},a,node-1\n10.0.0.200,b,node-1\n${first},b,node-1\n`;
    expect(await inventory(table)).toEqual({
      exit: 2,
      out: "",
      err: `${DRY_RUN}Error: ${first} occurs twice: stdin, line 2, and stdin, line 4.\n`,
    });
  });

  it("shows what it would adopt, and changes nothing", async () => {
    const [first = ""] = living;
    expect(await inventory(`address,handle,host\n${first},successor,node-1\n`)).toEqual({
      exit: 0,
      out: "0 lines of 0 items: 0 items would change.\n1 address would be adopted, 1 from another handle.\n",
      err: DRY_RUN,
    });
    const { exit, err } = await inventory("address,handle,host\n192.168.7.7,far,node-1\n");
    expect(exit).toBe(4);
    expect(err).toContain("1 address cannot be adopted; plat-restored would stay frozen.");
    await expect(assignedOneByOne(started(), "again", 1)).rejects.toThrow(TableFrozenError);
  });

  it("rejects a table that serves", async () => {
    const { exit, err } = await plat(
      "restore",
      "--table",
      LOST,
      "--trail",
      join(folder, "trail"),
      "-y",
    );
    expect({ exit, err }).toEqual({
      exit: 2,
      err: "Error: The table serves: its register names it, so there is nothing to restore.\n  Nothing was written.\n",
    });
  });

  it("shows what a replay would change, and changes nothing", async () => {
    const { exit, out, err } = await restore("trail", "--dry-run");
    expect({ exit, err }).toEqual({ exit: 0, err: DRY_RUN });
    expect(out).toMatch(/^\d+ lines of \d+ items: \d+ items would change\.\n$/);
    await expect(assignedOneByOne(started(), "again", 1)).rejects.toThrow(TableFrozenError);
  });

  it("brings the table up to date, and no address gets a second owner", async () => {
    const { exit, out, err } = await restore("trail", "--yes");
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toMatch(
      /^\d+ lines of \d+ items: \d+ items changed\.\n40 addresses are assigned in \d+ blocks\.\nEvery invariant holds\. plat-restored serves within a minute\.\n$/,
    );
    const again = await assignedOneByOne(started(), "again", ASSIGNED);
    expect(again.filter((address) => living.includes(address))).toEqual([]);
  });

  it("then has nothing to restore any more", async () => {
    expect((await restore("trail", "--yes")).err).toContain("there is nothing to restore");
  });
});
