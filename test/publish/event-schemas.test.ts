import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/base/event-type.ts";
import { eventSchemaOf, eventSchemas } from "../../src/contract/event-schemas.ts";
import { amendAddress } from "../../src/nouns/address/operations/amend-address.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { deletePool, drainPool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import { actingAs } from "../acting.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { ensure, free, putPrefixPools } from "../prefixes.ts";
import { reclaimAll, repairAll, work } from "../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  interfacesRequest,
  poolOf,
  releaseAll,
  reportAll,
  requestOf,
  SPACE,
} from "../world.ts";
import { ALICE, streamed, usageOf } from "./streamed.ts";

const COPY = "../../docs/event.schema.json";

describe("the schemas of events", () => {
  it("describe an example of each type", async () => {
    const world = await streamed(poolOf("10.0.0.0/30", 31), { cooldownSeconds: 0 });
    const { plat, clock } = world;
    const later = async () => {
      clock.nowMs += 100_000;
      await reclaimAll(plat);
      await actingAs({ principal: "plat/repair", requestId: "r2" }, () => repairAll(plat));
      await world.published();
    };
    await actingAs(ALICE, async () => {
      const attributes = { vm: "a", tenant: "t" };
      const released = await assigned(plat, { ...requestOf("one", 4, "key"), attributes });
      await later();
      await releaseAll(plat, released);
      const leased = await assigned(plat, { ...requestOf("two", 1), leaseSeconds: 60 });
      const address = addressOf(leased.addresses[0]?.address ?? "");
      const owner = { active: { vm: "b" }, alternate: { vm: "c" } };
      await amendAddress(plat, SPACE, { address, handle: "two", owner });
      await later();
      await later();
      await reportAll(plat, await assigned(plat, interfacesRequest("three")));
      await assigned(plat, instanceRequest(podOf("a")));
      await releaseOf(plat, podOf("a"), true);
      await assigned(plat, instanceRequest(podOf("b")));
      for (const available of [50n, 0n]) await plat.store.putPoolUsage(usageOf("id", available));
      await putPrefixPools(plat);
      const [cidr] = await ensure(plat, "node-1");
      await free(plat, "node-1", cidr === undefined ? {} : { cidr });
      await later();
      const { revision } = (await plat.store.readSpace(SPACE)).pools.find(
        ({ name }) => name === "v4",
      ) ?? { revision: undefined };
      await drainPool(plat, SPACE, "v4", revision);
      await work(plat, clock, 10);
      const labels = { zone: "a" };
      const ranged = { ...poolOf("10.9.0.0/24", 26), disabled: true, labels };
      await putPool(plat, SPACE, "other", ranged, undefined);
      const other = (await plat.store.readSpace(SPACE)).pools.find(({ name }) => name === "other");
      await deletePool(plat, SPACE, "other", other?.revision);
      await work(plat, clock, 10);
    });
    // The bus of this world takes only events that their schemas describe.
    const types = new Set((await world.published()).map(({ type }) => String(type)));
    expect([...types].sort()).toEqual([...EVENT_TYPES].sort());
  });

  it("let consumers accept fields of later versions", () => {
    expect(JSON.stringify(eventSchemas())).not.toContain('"additionalProperties":false');
  });

  it("stand by themselves, one for each type and none for others", () => {
    for (const type of EVENT_TYPES)
      expect(JSON.stringify(eventSchemaOf(type))).not.toContain('"$ref"');
    expect(eventSchemaOf("constructor")).toBeUndefined();
  });

  it("are in the documentation as the API serves them", async () => {
    await expect(`${JSON.stringify(eventSchemas(), null, 2)}\n`).toMatchFileSnapshot(COPY);
  });
});
