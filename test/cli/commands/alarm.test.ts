import { afterEach, describe, expect, it, vi } from "vitest";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";

const shell = terminal();
const { plat, call, server } = shell;
const pool = spaceWithPool(shell);

afterEach(() => {
  vi.useRealTimers();
});

/** Makes a pool of 16 addresses, of which 13 are assigned, and counts it. */
async function nearlyFull(): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-24T00:00:00Z") });
  await pool("main", { cidr: "10.0.0.0/28", blockSize: 28 });
  vi.setSystemTime(Date.parse("2026-11-24T00:05:00Z"));
  await call("POST", "/v1/assign", { host: "n1", ipv4: 13, handle: "web" });
  await server().scheduledRuns.reclaim();
}

describe("plat alarm get", () => {
  it("shows the pools above a threshold", async () => {
    await nearlyFull();
    const { exit, out } = await plat("alarm", "get");
    expect(exit).toBe(0);
    expect(out).toBe(
      "ALARM         POOL   DETAIL\nPoolAbove80   main   Of pool main, 81.25 % is in use or cooling.\n",
    );
  });

  it("says that no alarm is raised", async () => {
    await pool();
    const { exit, err } = await plat("alarm", "get");
    expect([exit, err]).toEqual([0, "Note: no alarm is raised.\n"]);
  });
});

describe("plat pool history", () => {
  it("shows the use of a pool over time", async () => {
    await nearlyFull();
    const { exit, out, err } = await plat("pool", "history", "main");
    expect(exit).toBe(0);
    expect(out).toBe(
      "AT                         IN USE   AVAILABLE   ASSIGNABLE\n2026-11-24T00:05:00.000Z   13       3           16\n",
    );
    expect(err).toBe("Note: 81.25 % is in use or cooling. No exhaustion is forecast.\n");
  });

  it("says that a pool was not counted yet", async () => {
    await pool();
    const { exit, err } = await plat("pool", "history", "main");
    expect(exit).toBe(0);
    expect(err).toContain("pool main has not been counted yet.");
  });
});
