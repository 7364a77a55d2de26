import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { readRegister } from "../../src/table/register-item.ts";
import { identityIn, tableIn } from "../../src/wiring.ts";
import { databaseFile } from "../../twin/database.ts";
import { startTwin, startTwinOf, synthesised, type Twin } from "../../twin/twin.ts";
import { eventually } from "../eventually.ts";
import { HANGS_MS } from "../patience.ts";
import { call } from "./account.ts";

/** An interval so long that no schedule starts a run during the test. */
const NEVER_SECONDS = 3_600;

/** Runs the repair run of the first shard until a check holds: on a busy machine the marker does not answer in its time. */
const repaired = ({ deployment, lambda }: Twin, check: () => Promise<void>): Promise<void> =>
  eventually(async () => {
    const { functionArn, input = "{}" } =
      deployment.schedules.find(({ name }) => name.includes("repair0")) ?? expect.fail();
    await lambda.invoke(functionArn, input);
    await check();
  });

describe.runIf(emulatorBinary())("what is deployed to prod", () => {
  let twin: Twin;
  let data: string;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "plat-"));
    twin = await startTwinOf("prod", { port: 0, scheduleSeconds: NEVER_SECONDS, data });
    expect((await send("PUT", "/v1/pools/main", '{"cidr": "10.0.0.0/24"}')).status).toBe(201);
  }, HANGS_MS);
  afterAll(async () => {
    await twin?.stop().catch(() => {});
    await rm(data, { recursive: true });
  });

  const send = (method: string, path: string, body?: string) =>
    call(twin, twin.callers[0] ?? expect.fail(), method, path, body);
  const table = () => tableIn(twin.database, twin.deployment.table.name);
  const parameter = async () => {
    const [name = ""] = await readdir(join(data, "parameters"));
    return join(data, "parameters", name);
  };

  it("names its table in the register, and marks the table and the parameter beside it", async () => {
    await repaired(twin, async () => {
      const { region, id } = await identityIn(twin.database, twin.deployment.table.name);
      const { ids, markedAtMs } = await readRegister(table());
      expect(ids).toEqual({ [region]: id });
      expect(await readFile(await parameter(), "utf8")).toBe(String(markedAtMs));
    });
  });

  it("freezes a table that went back in time, and answers 503 then", async () => {
    await twin.database.send(
      new UpdateItemCommand({
        TableName: twin.deployment.table.name,
        Key: { pk: { S: "TABLE" }, sk: { S: "FORMAT" } },
        UpdateExpression: "SET markedAt = :earlier",
        ExpressionAttributeValues: { ":earlier": { N: "1" } },
      }),
    );
    await repaired(twin, async () =>
      expect((await readRegister(table())).frozenBecause).toMatch(/^went back in time/),
    );
    const wanted = JSON.stringify({ host: "node-1", ipv4: 1, handle: "web-0", pools: ["main"] });
    const { status, text } = await send("POST", "/v1/assign", wanted);
    expect({ status, code: JSON.parse(text).code }).toEqual({ status: 503, code: "table_frozen" });
    expect((await send("GET", "/v1/pools")).status).toBe(200);
  });
});

describe.runIf(emulatorBinary())("an empty table in place of another one", () => {
  const POOL = '{"cidr": "10.0.0.0/24"}';
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "plat-"));
  });
  afterAll(() => rm(data, { recursive: true }));

  /** Starts the twin of dev over the data, and sends it one request after another. */
  async function deployed(use: (twin: Twin) => Promise<void>): Promise<void> {
    const { deployment, assets } = await synthesised("dev");
    const options = { port: 0, scheduleSeconds: NEVER_SECONDS, data };
    const twin = await startTwin(deployment, assets, options);
    try {
      await use(twin);
    } finally {
      await twin.stop();
    }
  }
  const putPool = (twin: Twin) =>
    call(twin, twin.callers[0] ?? expect.fail(), "PUT", "/v1/pools/main", POOL);
  /** Puts the pool until the answer is a final one. */
  const pool = (twin: Twin) =>
    eventually(async () => {
      const { status, text } = await putPool(twin);
      const { code, detail } = JSON.parse(text);
      expect(code).not.toBe("unavailable");
      return { isThere: status < 300, code, detail };
    });
  const markedAtMs = async (name: string) =>
    Number(await readFile(join(data, "parameters", name), "utf8"));

  it(
    "gets no pool from its first second on, serves when the marker is set to 0, and is marked then",
    async () => {
      let file = "";
      await deployed(async (twin) => {
        expect(await pool(twin)).toMatchObject({ isThere: true });
        await repaired(twin, async () => {
          const [name = ""] = await readdir(join(data, "parameters"));
          expect(await markedAtMs(name)).toBeGreaterThan(0);
        });
        file = databaseFile(data, twin.deployment.table);
      });
      // As a deployment does that replaces the table.
      await rm(file);
      await deployed(async (twin) => {
        const { code, detail } = await pool(twin);
        expect(code).toBe("table_frozen");
        const [name = ""] = /plat-dev-\S+-table-mark/.exec(detail) ?? [];
        expect(detail).toContain(
          "must deploy with the construct id and the Regions of that table again",
        );
        await repaired(twin, async () => expect((await pool(twin)).isThere).toBe(false));
        await writeFile(join(data, "parameters", name), "0");
        expect(await pool(twin)).toMatchObject({ isThere: true });
        await repaired(twin, async () => expect(await markedAtMs(name)).toBeGreaterThan(0));
      });
    },
    2 * HANGS_MS,
  );

  it(
    "is none where the environment was deleted with its parameter, and is made again",
    async () => {
      await rm(data, { recursive: true });
      await deployed(async (twin) => {
        expect(await pool(twin)).toMatchObject({ isThere: true });
      });
    },
    HANGS_MS,
  );
});
