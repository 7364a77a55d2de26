import { describe, expect, it } from "vitest";
import { STATUS_MS, WATCH_MS } from "./agent.ts";
import { CiliumAgent } from "./cilium-agent.ts";
import { newAddressObject } from "./cilium-server.ts";
import { seededRandom } from "./random.ts";

const HANDLE = "cilium/node-1/uid-1";
const EIGHT = Array.from({ length: 8 }, (_, n) => `10.0.0.${n}`);
const LAG_MS = STATUS_MS + WATCH_MS;

function agentWith(...pool: readonly string[]) {
  const server = newAddressObject();
  server.patch(server.current, { pool: new Set(pool) });
  return { server, agent: new CiliumAgent(HANDLE, server, seededRandom(1), 0) };
}

describe("the agent of the simulation", () => {
  it("uses addresses of its pool only, and each is in the status 20 s later", () => {
    const { server, agent } = agentWith("10.0.0.1", "10.0.0.2");
    const usedSince = new Map<string, number>();
    let most = 0;
    for (let nowMs = 0; nowMs < 600_000; nowMs += 1_000) {
      agent.advance(nowMs);
      for (const ip of usedSince.keys()) if (!agent.inUse.has(ip)) usedSince.delete(ip);
      for (const ip of agent.inUse) {
        expect(server.current.pool).toContain(ip);
        if (!usedSince.has(ip)) usedSince.set(ip, nowMs);
        if (nowMs - (usedSince.get(ip) ?? nowMs) > LAG_MS)
          expect(server.current.used).toContain(ip);
      }
      most = Math.max(most, agent.inUse.size);
    }
    expect(most).toBe(2);
  });

  it("answers for a marked address, and gives one that is ready to no pod", () => {
    const { server, agent } = agentWith(...EIGHT);
    agent.advance(300_000);
    const marks = [...server.current.pool].map((ip) => [ip, "marked-for-release"] as const);
    server.patch(server.current, { releaseIps: new Map(marks) });
    agent.advance(300_000 + LAG_MS);
    const said = server.current.releaseIps;
    expect(new Set(said.values())).toEqual(new Set(["do-not-release", "ready-for-release"]));
    const ready = [...said].filter(([, state]) => state === "ready-for-release");
    for (let nowMs = 320_000; nowMs < 600_000; nowMs += 1_000) {
      agent.advance(nowMs);
      for (const [ip] of ready) expect(agent.inUse).not.toContain(ip);
    }
  });

  it("forgets a released address that its pool lacks", () => {
    const { server, agent } = agentWith();
    server.patch(server.current, { releaseIps: new Map([["10.0.0.1", "released"]]) });
    agent.advance(LAG_MS);
    expect(server.current.releaseIps.size).toBe(0);
  });

  it("uses nothing after its end", () => {
    const { agent } = agentWith("10.0.0.1");
    agent.advance(300_000);
    agent.stop();
    agent.advance(600_000);
    expect(agent.inUse.size).toBe(0);
  });
});

it("refuses a write over an object that has changed", () => {
  const server = newAddressObject();
  const seen = server.current;
  expect(server.patch(seen, { pool: new Set(["10.0.0.1"]) })).toBe(true);
  expect(server.patch(seen, { pool: new Set() })).toBe(false);
  expect([...server.current.pool]).toEqual(["10.0.0.1"]);
});
