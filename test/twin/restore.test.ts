import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import { createTable } from "../../src/local/create-table.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { readTrail } from "../../src/restore/read-trail.ts";
import { restoreTable } from "../../src/restore/restore-table.ts";
import { readRegister } from "../../src/table/register-item.ts";
import { contextOf, identityIn, tableIn } from "../../src/wiring.ts";
import { startTwin, synthesised, type Twin } from "../../twin/twin.ts";
import { eventually } from "../eventually.ts";
import { requestOf } from "../world.ts";

const RESTORED = "plat-restored";
const BEFORE = 8;
const AFTER = 32;
/** An interval so long that no schedule starts a run during the test. */
const NEVER_SECONDS = 3_600;

describe.runIf(emulatorBinary())("the trail that the bundles of prod write", () => {
  let twin: Twin;
  let folder: string;
  beforeAll(async () => {
    const { deployment, assets } = await synthesised("prod");
    twin = await startTwin(deployment, assets, { port: 0, scheduleSeconds: NEVER_SECONDS });
    folder = await mkdtemp(join(tmpdir(), "plat-"));
  });
  afterAll(async () => {
    await twin?.stop();
    await rm(folder, { recursive: true });
  });

  const call = (method: string, path: string, body: object) =>
    twin.clientOf(1).call(method, path, body);

  async function assigned(name: string, count: number): Promise<readonly string[]> {
    const addresses: string[] = [];
    for (let n = 0; n < count; n++) {
      const body = { host: `node-${n % 4}`, ipv4: 1, handle: `${name}-${n}` };
      const answer = await call("POST", "/v1/assign", body);
      expect(answer.status).toBe(200);
      addresses.push(answer.body.addresses[0].address);
    }
    return addresses;
  }

  /** Returns the number of slots that the lines of the trail fill. */
  const slotsInTrail = () =>
    [...twin.services.objects.values()]
      .flatMap((object) => gunzipSync(object).toString().trimEnd().split("\n"))
      .map((line) => JSON.parse(line))
      .flatMap(({ changes }) => changes)
      .filter(({ path: [name, slot], after }) => name === "slots" && slot && after).length;

  it("brings a restored table up to date, so that no address gets a second owner", async () => {
    await call("PUT", "/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
    for (const { name, functionArn, input } of twin.deployment.schedules)
      if (name.includes("repair0")) await twin.lambda.invoke(functionArn, input ?? "{}");
    const before = await assigned("before", BEFORE);
    const lost = tableIn(twin.database, twin.deployment.table.name);
    await createTable(twin.database, RESTORED);
    const table = tableIn(twin.database, RESTORED);
    for (const item of (await lost.scan(1_000)).items)
      await table.write({ step: "backup", key: item, when: [], change: { kind: "put", item } });
    const living = [...before, ...(await assigned("after", AFTER))];
    await eventually(() => expect(slotsInTrail()).toBe(BEFORE + AFTER));
    for (const [key, object] of twin.services.objects) {
      await mkdir(dirname(join(folder, key)), { recursive: true });
      await writeFile(join(folder, key), object);
    }

    const identity = await identityIn(twin.database, RESTORED);
    expect(Object.values((await readRegister(table)).ids)).not.toContain(identity.id);
    const later = { lines: await readTrail(folder), living: [] };
    const restored = { table, identity, contextOver: contextOf };
    const done = await restoreTable(restored, later, { dryRun: false });
    expect(done).toMatchObject({ thawed: true, checked: { counts: { taken: BEFORE + AFTER } } });
    for (let n = 0; n < AFTER; n++) {
      const request = { ...requestOf(`again-${n}`, 1), host: `host:node-${n % 4}` as const };
      const answer = await assign(contextOf(table), request);
      if (answer instanceof Rejection) throw new Error(answer.detail);
      expect(living).not.toContain(answer.addresses[0]?.address);
    }
  });
});
