import { expect, onTestFinished, vi } from "vitest";
import type { reportOf } from "../../../src/cli/check/report.ts";
import { InMemoryTable } from "../../../src/table/in-memory-table.ts";
import type { Item } from "../../../src/table/item.ts";
import type { terminal } from "../terminal.ts";

/** A cluster whose pods have addresses of a running server, and kubectl's output for it. */

export type Report = ReturnType<typeof reportOf>;

/**
 * Later than all assignments of a test. The server uses the real clock, and an inventory must be newer than the
 * addresses that it judges.
 */
const START_MS = Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000;
/** Returns the time this many minutes after the start. */
export const at = (minutes: number): number => START_MS + minutes * 60_000;
export const timeAt = (minutes: number): string => new Date(at(minutes)).toISOString();

export const nodeOf = (name: string) => ({ kind: "Node", metadata: { name } });

export const podOf = (
  name: string,
  ips: readonly string[],
  { node = "node-1", ...status }: { readonly node?: string; readonly phase?: string } = {},
) => ({
  kind: "Pod",
  metadata: { name, namespace: "shop" },
  spec: { nodeName: node },
  status: { phase: "Running", podIPs: ips.map((ip) => ({ ip })), ...status },
});

export const listOf = (...items: readonly object[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items });

/** The objects of every cluster, besides those of the test. */
const CURRENT = [nodeOf("node-1"), nodeOf("node-2"), podOf("other", ["192.0.2.1"])];
export const inventoryOf = (...items: readonly object[]): string => listOf(...CURRENT, ...items);

/** Returns the options of an inventory from stdin with full coverage, taken this many minutes after the start. */
export const whole = (minutes: number): readonly string[] => [
  ...["--inventory", "-", "--covers", "nodes,pods"],
  ...["--taken-at", timeAt(minutes)],
];

/** Sets up the space of a test: a pool of small blocks, and addresses of pods in it. */
export function cluster({ call }: Pick<ReturnType<typeof terminal>, "call">) {
  const done = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await call(method, path, body);
    expect(status, JSON.stringify(answer)).toBeLessThan(300);
    return answer;
  };
  return {
    withPool: () =>
      done("PUT", "/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28, cooldownSeconds: 0 }),
    /** Assigns an address to a pod, by default on node-1. */
    async assign(
      pod: string,
      {
        host = "node-1",
        handle = pod,
        attributes = {},
        ...more
      }: {
        readonly host?: string;
        readonly handle?: string;
        readonly attributes?: Readonly<Record<string, string>>;
        readonly address?: string;
        readonly limitPerHandle?: number;
      } = {},
    ): Promise<string> {
      const { addresses } = await done("POST", "/v1/assign", {
        host,
        handle,
        attributes: { namespace: "shop", pod, node: host, ...attributes },
        ...(more.address === undefined && { ipv4: 1 }),
        ...more,
      });
      return addresses[0].address;
    },
    /** Assigns thirty addresses to each of ten pods, more than one request can release. */
    async assignMany(): Promise<void> {
      await done("PUT", "/v1/pools/large", { cidr: "10.1.0.0/20", blockSize: 22 });
      for (const handle of Array.from({ length: 10 }, (_, n) => `h${n}`))
        await done("POST", "/v1/assign", {
          ...{ host: "node-1", ipv4: 30, handle, pools: ["large"] },
          attributes: { namespace: "shop", pod: handle, node: "node-1" },
        });
    },
    release: (handle: string) => done("POST", "/v1/release", { handle }),
    read: (address: string) => done("GET", `/v1/addresses/${address}`),
    stateOf: async (address: string): Promise<string> =>
      (await done("GET", `/v1/addresses/${address}`)).state,
    amend: (address: string, body: object) => done("PATCH", `/v1/addresses/${address}`, body),
  };
}

/** Passes on what each read of the allocations of a handle finds through a function, until the test ends. */
export function throughAllocations(
  passOn: (items: readonly Item[]) => Promise<readonly Item[]>,
): void {
  const { query } = InMemoryTable.prototype;
  const spy = vi.spyOn(InMemoryTable.prototype, "query");
  spy.mockImplementation(async function (this: InMemoryTable, pk, options) {
    const items = await query.call(this, pk, options);
    return pk.startsWith("HANDLE#") ? passOn(items) : items;
  });
  onTestFinished(() => spy.mockRestore());
}

/** Runs a function after one of the next reads of allocations, by default the first, and before what it found is returned. */
export function afterAllocations(happens: () => Promise<unknown>, which = 1): void {
  let reads = 0;
  throughAllocations(async (items) => {
    if (++reads === which) await happens();
    return items;
  });
}
