import { expect, it } from "vitest";
import { ServedObject } from "./cilium-server.ts";
import { MultiPoolAgent, PrefixAgent, type PrefixFields, USABLE } from "./prefix-agent.ts";
import { seededRandom } from "./random.ts";

const THREE = ["10.7.0.0/30", "10.7.0.4/30", "10.7.0.8/30"];
const LONG_MS = 1_200_000;

function agentOf(Agent: typeof PrefixAgent) {
  const server = new ServedObject<PrefixFields>({ needed: 0, prefixes: new Set(THREE) });
  return { server, agent: new Agent("handle", server, seededRandom(1), 0) };
}

it("an agent in mode multi-pool lets prefixes go that it does not need, and none that pods use", () => {
  const { server, agent } = agentOf(MultiPoolAgent);
  const needs = new Set<number>();
  let most = 0;
  for (let nowMs = 0; nowMs < LONG_MS; nowMs += 1_000) {
    agent.advance(nowMs);
    for (const cidr of agent.inUse) expect(server.current.prefixes).toContain(cidr);
    needs.add(server.current.needed);
    most = Math.max(most, agent.inUse.size);
  }
  expect(server.current.prefixes.size).toBeLessThan(THREE.length);
  expect([...needs].toSorted()).toEqual([0, USABLE, 2 * USABLE]);
  expect(most).toBeGreaterThan(0);
});

it("an agent in mode cluster-pool uses its prefixes, and keeps them", () => {
  const { server, agent } = agentOf(PrefixAgent);
  let most = 0;
  for (let nowMs = 0; nowMs < LONG_MS; nowMs += 1_000) {
    agent.advance(nowMs);
    most = Math.max(most, agent.inUse.size);
  }
  expect([...server.current.prefixes]).toEqual(THREE);
  expect(most).toBe(THREE.length);
});
