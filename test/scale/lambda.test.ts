import { expect, test } from "vitest";
import { DeadlineError } from "../../src/base/outcome.ts";
import { blockOf } from "../../src/kernel/values/block-group.ts";
import { LambdaFunction } from "./lambda.ts";
import { PARTITION_WRITE_UNITS_PER_S, PASS_TIMEOUT_MS } from "./model.ts";
import { blockItem, newCloud, poolOf } from "./scene.ts";

const pool = poolOf("default", "main", "10.0.0.0/24");
const cidr = blockOf({ family: 4, value: pool.cidr.base }, 26);

test("a function that is stopped hears of no call any more, and the next execution remembers nothing", async () => {
  const cloud = await newCloud();
  const lambda = new LambdaFunction(cloud);
  let reads = 0;
  const ended = await cloud.clock.run(() =>
    lambda.run(async ({ store, cache }) => {
      cache.rememberGroup("known");
      for (;;) {
        await store.readBlock("default", cidr);
        reads++;
      }
    }),
  );
  expect(ended).toMatchObject({ ended: "timedOut", ms: PASS_TIMEOUT_MS });
  const before = reads;
  await cloud.clock.run(() => cloud.clock.sleep(PASS_TIMEOUT_MS));
  expect(reads).toBe(before);
  const next = await cloud.clock.run(() =>
    lambda.run(async ({ cache }) => cache.knowsGroup("known")),
  );
  expect(next).toMatchObject({ ended: "answered", value: false });
});

test("a write that was under way when its function was stopped lands, and nobody is told", async () => {
  const cloud = await newCloud();
  const lambda = new LambdaFunction(cloud);
  const ended = await cloud.clock.run(() =>
    lambda.run(async ({ store, sleep }) => {
      await sleep(PASS_TIMEOUT_MS - 1);
      await store.addGroup("default", "id", 1n);
      throw new Error("nobody gets here");
    }),
  );
  expect(ended.ended).toBe("timedOut");
  await cloud.clock.run(() => cloud.clock.sleep(1_000));
  expect(cloud.items.partition("GROUPINDEX#default#id")?.get("0")).toBeDefined();
});

test("a request begins no call that might be its last", async () => {
  const cloud = await newCloud();
  const ended = await cloud.clock.run(() =>
    new LambdaFunction(cloud).request(async ({ store }) => {
      for (;;) await store.readBlock("default", cidr);
    }),
  );
  expect(ended).toMatchObject({ ended: "failed", error: expect.any(DeadlineError) });
  expect(ended.ms).toBeLessThan(7_000);
});

test("a function waits and asks again when it is throttled", async () => {
  const cloud = await newCloud();
  cloud.items.put(blockItem(pool, { cidr }));
  const asked = PARTITION_WRITE_UNITS_PER_S + 50;
  const ended = await cloud.clock.run(() =>
    Promise.all(
      Array.from({ length: asked }, () =>
        new LambdaFunction(cloud).run(({ store }) =>
          store.fenceBlock("fence", "default", cidr, "epoch"),
        ),
      ),
    ),
  );
  expect(ended.every((each) => each.ended === "answered")).toBe(true);
  expect(cloud.table.capacity.total().throttled).toBeGreaterThan(0);
});

test("an execution tells how many calls it made and how long it took", async () => {
  const cloud = await newCloud();
  const ended = await cloud.clock.run(() =>
    new LambdaFunction(cloud).request(async ({ store }) => {
      await store.readBlock("default", cidr);
      await store.readBlock("default", cidr);
    }),
  );
  expect(ended.calls).toBe(2);
  expect(ended.ms).toBeGreaterThan(8);
  expect(ended.ms).toBeLessThan(20);
});
