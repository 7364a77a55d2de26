import { afterEach, expect, it, vi } from "vitest";
import { context, scheduledRun, spaceWithPool } from "./plat.ts";

const reclaim = scheduledRun("reclaim");
const repair = scheduledRun("repair");

afterEach(() => {
  vi.useRealTimers();
});

it("blocks that nobody uses go back to their pool in two scheduled runs", async () => {
  const plat = await spaceWithPool();
  const { body } = await plat.assign({ host: "n1", ipv4: 1 });
  const [{ block }] = body.addresses;
  await plat.delete(`/v1/handles/${body.handle}`);

  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
  await reclaim();
  vi.setSystemTime(Date.now() + 60_000);
  await reclaim();
  expect((await plat.get(`/v1/addresses/${block.split("/")[0]}`)).body.state).toBe("free");
  const current = await context.store.scanPage(1_000);
  expect(current.contents.blocks.filter(({ space }) => space === plat.space)).toEqual([]);
});

it("the repair run leaves alone what is held", async () => {
  const plat = await spaceWithPool();
  await plat.assign({ host: "n1", ipv4: 2, handle: "h" });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
  await repair();
  expect((await plat.get("/v1/handles/h")).body.addresses).toHaveLength(2);
});
