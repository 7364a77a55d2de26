import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UnavailableError } from "../../src/base/outcome.ts";
import { type PlatClient, type PlatOptions, platClient } from "../../src/client/index.ts";
import { eachCall } from "../../src/store/stack.ts";
import type { Table } from "../../src/table/table.ts";
import { wiringOver } from "../../src/wiring.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { call, deploy, deployAnew, spaceWithPool, table } from "./plat.ts";

const CALL_MS = 5;
const AWAY_MS = 100;
const SERVED_MS_MAX = 5_000;
const ASSIGNS = 20;

let clock: VirtualClock;
/** The time for which the database is away after the next lost answer of a put; nothing while no answer is lost. */
let awayMs: number | undefined;

beforeEach(() => {
  clock = new VirtualClock(Date.now());
  awayMs = undefined;
  vi.spyOn(performance, "now").mockImplementation(clock.now);
  const blipping = blippingTable(table);
  // A pause can end between two milliseconds.
  deploy(wiringOver(blipping, { now: () => Math.floor(clock.nowMs), sleep: clock.sleep }));
});
afterEach(() => {
  vi.restoreAllMocks();
  deployAnew();
});

/**
 * Returns a table that loses the answer of the put of each handle's first allocation. Then it is away: it answers no
 * read, and carries out no write.
 */
function blippingTable(table: Table): Table {
  const lost = new Set<string>();
  let backAtMs = 0;
  const away = () => clock.nowMs < backAtMs;
  const slow = eachCall(table, async (answer) => {
    if (away()) throw new UnavailableError("the database did not answer a read");
    await clock.sleep(CALL_MS);
    return answer();
  });
  return {
    ...slow,
    write: async (write) => {
      if (away()) return { outcome: "unknown" };
      await clock.sleep(CALL_MS);
      const outcome = await table.write(write);
      if (awayMs === undefined || write.step !== "create-allocation" || lost.has(write.key.pk))
        return outcome;
      lost.add(write.key.pk);
      backAtMs = Math.max(backAtMs, clock.nowMs + awayMs);
      awayMs = 0;
      return { outcome: "unknown" };
    },
  };
}

/** Returns a client of the functions that waits by the clock. */
const clientOf = (space: string, options: Partial<PlatOptions> = {}): PlatClient =>
  platClient(
    { endpoint: "http://plat.example", space, ...options },
    {
      now: clock.now,
      sleep: clock.sleep,
      random: () => 0,
      fetch: async (url, { method = "GET", headers, body } = {}) => {
        const { pathname } = new URL(url);
        const sent = Object.entries(headers as Record<string, string>);
        const reply = await call(method, pathname, {
          headers: Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value])),
          body: JSON.parse(String(body)),
        });
        return {
          status: reply.status,
          headers: { get: (name) => String(reply.headers[name] ?? "") || null },
          text: async () => JSON.stringify(reply.body),
        };
      },
    },
  );

/** Assigns an address with a key; returns it and the time that it took. */
async function assignOne(plat: PlatClient, n: number) {
  const startedAtMs = clock.nowMs;
  const { body } = await plat.assign({
    idempotencyKey: `key-${n}`,
    body: { host: `n${n % 4}`, ipv4: 1, handle: `h${n}` },
  });
  const [{ address } = { address: "" }] = "addresses" in body ? body.addresses : [];
  return { address, tookMs: clock.nowMs - startedAtMs };
}

describe("a blip, in which the answer of the allocation's put is lost and the database is away for 100 ms", () => {
  it.each(["one after another", "side by side"])(
    "costs none of 20 keyed assigns, %s, more than 5 s",
    async (how) => {
      const { space } = await clock.run(() => spaceWithPool());
      const plat = clientOf(space);
      awayMs = AWAY_MS;
      const numbers = Array.from({ length: ASSIGNS }, (_, n) => n);
      const served = await clock.run(async () => {
        if (how === "side by side") return Promise.all(numbers.map((n) => assignOne(plat, n)));
        const each = [];
        for (const n of numbers) {
          awayMs = AWAY_MS;
          each.push(await assignOne(plat, n));
        }
        return each;
      });
      expect(new Set(served.map(({ address }) => address)).size).toBe(ASSIGNS);
      expect(Math.max(...served.map(({ tookMs }) => tookMs))).toBeLessThan(SERVED_MS_MAX);
    },
  );

  it("that lasts longer than a request is outlasted by the client, and costs no second address", async () => {
    const plat = await clock.run(() => spaceWithPool());
    awayMs = 3_000;
    const { address } = await clock.run(() => assignOne(clientOf(plat.space), 0));
    const { body } = await clock.run(() => plat.get("/v1/handles/h0"));
    expect(body.addresses).toMatchObject([{ address }]);
  });
});
