import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";

// A server that publishes.
const shell = terminal({ table: "memory" });
const { plat, call } = shell;
const pool = spaceWithPool(shell);

/** Assigns the only address of a pool to a handle, and releases it. */
async function withHistory(): Promise<void> {
  await pool("main", { cidr: "10.0.0.0/32", blockSize: 32 });
  await call("POST", "/v1/assign", { host: "n1", ipv4: 1, handle: "web/0" });
  await call("POST", "/v1/release", { handle: "web/0" });
  await eventually(async () => {
    const { body } = await call("GET", "/v1/addresses/10.0.0.0/history");
    expect(body.events).toHaveLength(2);
  });
}

describe("plat history", () => {
  it("shows who had an address, the newest event first", async () => {
    await withHistory();
    const { exit, out } = await plat("history", "10.0.0.0");
    expect(exit).toBe(0);
    const [head, ...rows] = out.trimEnd().split("\n");
    expect(head).toMatch(/^AT +TYPE +ADDRESS +HANDLE +HOST +REASON +BY$/);
    expect(rows).toEqual([
      expect.stringMatching(/ AddressReleased +10\.0\.0\.0 +web\/0 +n1 +released /),
      expect.stringMatching(/ AddressAssigned +10\.0\.0\.0 +web\/0 +n1 +<none> /),
    ]);
  });

  it("shows the addresses of a handle, and prints the events as they are", async () => {
    await withHistory();
    const { out } = await plat("history", "--handle", "web/0", "-o", "json");
    const { keptDays, events } = JSON.parse(out);
    expect(keptDays).toBe(90);
    expect(events).toMatchObject([
      { type: "AddressReleased", address: "10.0.0.0", sequence: expect.any(String) },
      { type: "AddressAssigned" },
    ]);
  });

  it("says for how long events are kept if there is none", async () => {
    const { exit, err } = await plat("history", "192.0.2.1");
    expect([exit, err]).toEqual([0, expect.stringContaining("keeps events for 90 days")]);
  });

  it.each([[["history"]], [["history", "10.0.0.1", "--handle", "web-0"]]])(
    "needs an address or a handle, and not both: %s",
    async (args) => {
      const { exit, err } = await plat(...args);
      expect([exit, err]).toEqual([2, expect.stringContaining("an address or --handle")]);
    },
  );
});
