import { describe, expect, it } from "vitest";
import {
  type ReleaseEntry,
  releaseAddresses,
  releaseHandle,
  releaseHost,
} from "../../../src/cli/space/releases.ts";
import {
  clientOver,
  type PlatClient,
  type Request,
  Unanswered,
} from "../../../src/client/index.ts";
import { isRepeatable } from "../../../src/client/repeatable.ts";

/** Makes an API that answers each release in turn, and records the requests. */
function apiOf(...answers: readonly object[]) {
  const asked: unknown[] = [];
  const client = clientOver(async <Body>({ body }: Request) => {
    asked.push(body);
    const answer = answers[Math.min(asked.length, answers.length) - 1] as Body;
    return { status: 200, etag: undefined, body: answer };
  });
  return { client, asked };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("a release of many addresses", () => {
  it("takes as many requests as it needs, each as large as one may be", async () => {
    const asked: unknown[] = [];
    const client = clientOver(async <Body>({ body }: Request) => {
      asked.push(body);
      const { addresses } = body as { addresses: readonly { address: string }[] };
      const results = addresses.map(({ address }) => ({ address, status: "released" }));
      return { status: 200, etag: undefined, body: { results, complete: true } as Body };
    });
    const entries = Array.from({ length: 513 }, (_, i) => ({ address: `10.0.0.${i}` }));
    await all(releaseAddresses(client, entries));
    expect(asked).toEqual([
      { addresses: entries.slice(0, 256) },
      { addresses: entries.slice(256, 512) },
      { addresses: entries.slice(512) },
    ]);
  });

  const [a, b, c] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((address) => ({ address }));
  const generation = "g1";
  const [provenA, provenB, provenC] = [a, b, c].map((one) => ({ ...one, generation }));
  const entries = [provenA, provenB, provenC] as ReleaseEntry[];
  const answer = (...statuses: [{ readonly address: string } | undefined, string][]) => ({
    results: statuses.map(([entry, status]) => ({ ...entry, status })),
    complete: statuses.every(([, status]) => status !== "unfinished"),
  });

  it("sends again what a request had no time for, and tells what became of each once", async () => {
    const { client, asked } = apiOf(
      answer([a, "unfinished"], [b, "released"], [c, "unfinished"]),
      answer([a, "unfinished"], [c, "not_assigned"]),
      answer([a, "released"]),
    );
    expect((await all(releaseAddresses(client, entries))).flat()).toEqual([
      { ...b, status: "released" },
      { ...c, status: "not_assigned" },
      { ...a, status: "released" },
    ]);
    expect(asked).toEqual([
      { addresses: entries },
      { addresses: [provenA, provenC] },
      { addresses: [provenA] },
    ]);
  });

  it("sends an address of a handle once, and says how to look if it is unfinished", async () => {
    const { client, asked } = apiOf(answer([a, "released"], [b, "unfinished"], [c, "unfinished"]));
    const named = [a, b, c].map((one) => ({ ...one, handle: "web" })) as ReleaseEntry[];
    const results: object[] = [];
    const releasing = async () => {
      for await (const some of releaseAddresses(client, named)) results.push(...some);
    };
    await expect(releasing()).rejects.toMatchObject({
      exit: 3,
      message: expect.stringMatching(
        /^Plat could not finish 2 addresses.*may have been released\..*`plat address get 10\.0\.0\.2`/s,
      ),
    });
    expect(results).toEqual([{ ...a, status: "released" }]);
    expect(asked).toHaveLength(1);
  });

  it("gives up after eight requests in a row that came to nothing, and says how to go on", async () => {
    const { client, asked } = apiOf(answer([a, "unfinished"]));
    await expect(all(releaseAddresses(client, entries.slice(0, 1)))).rejects.toMatchObject({
      exit: 3,
      message: expect.stringMatching(/[Rr]epeat the command/),
    });
    expect(asked).toHaveLength(8);
  });
});

describe("a release that got no answer", () => {
  const unanswered = (sent: Request[]): PlatClient =>
    clientOver(async (request) => {
      sent.push(request);
      throw new Unanswered("nobody answers");
    });
  const address = "10.0.0.1";
  const generation = "g1";

  it("may be repeated where it names nothing but assignments that were seen", async () => {
    const sent: Request[] = [];
    const entries = [{ address, generation }];
    await expect(all(releaseAddresses(unanswered(sent), entries))).rejects.toMatchObject({
      message: "nobody answers",
    });
    expect(sent.map(isRepeatable)).toEqual([true]);
  });

  it.each<[string, string, (client: PlatClient) => Promise<unknown>]>([
    ["a handle", "plat handle get web", (client) => all(releaseHandle(client, "web"))],
    ["a host", "plat block get --host n1", (client) => all(releaseHost(client, { host: "n1" }))],
    [
      "a virtual host",
      "plat block get --host 'a b' --affinity-type virtual",
      (client) => all(releaseHost(client, { host: "a b", affinityType: "virtual" })),
    ],
    [
      "an address of a handle",
      "plat address get 10.0.0.1",
      (client) =>
        all(
          releaseAddresses(client, [
            { address, generation },
            { address, handle: "web" },
          ]),
        ),
    ],
  ])("of %s may not, and says how to look: %s", async (_, look, release) => {
    const sent: Request[] = [];
    await expect(release(unanswered(sent))).rejects.toMatchObject({
      exit: 3,
      message: expect.stringMatching(
        `^nobody answers\nAll or part of it may have been released.[^]*\`${look}\``,
      ),
    });
    expect(sent).toHaveLength(1);
    expect(sent.map(isRepeatable)).toEqual([false]);
  });
});

describe("a release of all that a host has", () => {
  const part = { released: ["10.0.0.1"], complete: false, progressed: true };

  it("asks until it is complete", async () => {
    const { client, asked } = apiOf(part, part, { ...part, complete: true });
    expect(await all(releaseHost(client, { host: "n1" }))).toHaveLength(3);
    expect(asked).toEqual([{ host: "n1" }, { host: "n1" }, { host: "n1" }]);
  });

  it("asks so for all that a handle has as well", async () => {
    const { client, asked } = apiOf(part, { ...part, complete: true });
    expect(await all(releaseHandle(client, "web"))).toHaveLength(2);
    expect(asked).toEqual([{ handle: "web" }, { handle: "web" }]);
  });

  it("gives up after eight requests in a row that found nothing, not sooner, and says how to go on", async () => {
    const nothing = { ...part, released: [], progressed: false };
    const slow = [...new Array(7).fill(nothing), part, ...new Array(7).fill(nothing)];
    const done = apiOf(...slow, { ...nothing, complete: true });
    expect(await all(releaseHost(done.client, { host: "n1" }))).toHaveLength(16);
    const stuck = apiOf(nothing);
    await expect(all(releaseHost(stuck.client, { host: "n1" }))).rejects.toMatchObject({
      exit: 3,
      message: expect.stringMatching(/[Rr]epeat the command/),
    });
    expect(stuck.asked).toHaveLength(8);
  });

  it("goes on as long as answers get further, also those that finish what holds no address", async () => {
    const finished = { ...part, released: [] };
    const { client, asked } = apiOf(...new Array(20).fill(finished), { ...part, complete: true });
    await all(releaseHandle(client, "web"));
    expect(asked).toHaveLength(21);
  });

  const leaving = (...items: string[]) => ({
    released: [],
    complete: false,
    progressed: false,
    unreadable: items.map((item) => ({ item, reason: "" })),
  });

  it("ends at two answers in a row that got no further and name the same things that cannot be read", async () => {
    const left = leaving("block 10.0.0.0", "allocation a");
    const { client, asked } = apiOf(left, part, left, leaving("allocation a", "block 10.0.0.0"));
    expect(await all(releaseHost(client, { host: "n1" }))).toHaveLength(4);
    expect(asked).toHaveLength(4);
  });

  it.each([
    ["names others", leaving("block 10.0.0.64")],
    ["got further", { ...leaving("block 10.0.0.0"), progressed: true }],
    ["names nothing", leaving()],
  ])("does not end at an answer that %s", async (_, other) => {
    const left = leaving("block 10.0.0.0");
    const { client, asked } = apiOf(left, other, left, left);
    await all(releaseHost(client, { host: "n1" }));
    expect(asked).toHaveLength(4);
  });
});
