import { describe, expect, it } from "vitest";
import { type Client, type Request, Unanswered } from "../../src/cli/client.ts";
import { releaseAddresses, releaseHandle, releaseHost } from "../../src/cli/releases.ts";

/** An API that answers each release in turn; and what it was asked for. */
function apiOf(...answers: readonly object[]) {
  const asked: unknown[] = [];
  const client: Client = {
    space: "default",
    async call<Body>({ body }: Request) {
      asked.push(body);
      const answer = answers[Math.min(asked.length, answers.length) - 1] as Body;
      return { status: 200, etag: undefined, body: answer };
    },
  };
  return { client, asked };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("a release of many addresses", () => {
  it("takes as many requests as it needs, each as large as one may be", async () => {
    const { client, asked } = apiOf({ results: [] });
    const entries = Array.from({ length: 513 }, (_, i) => ({ address: `10.0.0.${i}` }));
    await all(releaseAddresses(client, entries));
    expect(asked).toEqual([
      { addresses: entries.slice(0, 256) },
      { addresses: entries.slice(256, 512) },
      { addresses: entries.slice(512) },
    ]);
  });
});

describe("a release that got no answer", () => {
  const unanswered = (sent: Request[]): Client => ({
    space: "default",
    async call(request) {
      sent.push(request);
      throw new Unanswered("nobody answers");
    },
  });
  const address = "10.0.0.1";
  const generation = "g1";

  it("may be repeated where it names nothing but assignments that were seen", async () => {
    const sent: Request[] = [];
    const entries = [{ address, generation }];
    await expect(all(releaseAddresses(unanswered(sent), entries))).rejects.toMatchObject({
      message: "nobody answers",
    });
    expect(sent).toMatchObject([{ isRepeatable: true }]);
  });

  it.each<[string, string, (client: Client) => Promise<unknown>]>([
    ["a handle", "plat handle get web", (client) => releaseHandle(client, "web")],
    ["a host", "plat block get --host n1", (client) => all(releaseHost(client, { host: "n1" }))],
    [
      "an address of a handle",
      "plat address get IP",
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
      message: expect.stringMatching(`^nobody answers\nHow much .* not known.*\`${look}\``),
    });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.isRepeatable).toBeUndefined();
  });
});

describe("a release of all that a host has", () => {
  const part = { released: ["10.0.0.1"], complete: false, unreadable: [] };

  it("asks until it is complete", async () => {
    const { client, asked } = apiOf(part, part, { ...part, complete: true });
    expect(await all(releaseHost(client, { host: "n1" }))).toHaveLength(3);
    expect(asked).toEqual([{ host: "n1" }, { host: "n1" }, { host: "n1" }]);
  });

  it("gives up after eight requests in a row that found nothing, not sooner, and says how to go on", async () => {
    const nothing = { ...part, released: [] };
    const slow = [...new Array(7).fill(nothing), part, ...new Array(7).fill(nothing)];
    const done = apiOf(...slow, { ...nothing, complete: true });
    expect(await all(releaseHost(done.client, { host: "n1" }))).toHaveLength(16);
    const stuck = apiOf(nothing);
    await expect(all(releaseHost(stuck.client, { host: "n1" }))).rejects.toMatchObject({
      exit: 3,
      message: expect.stringContaining("the same line goes on"),
    });
    expect(stuck.asked).toHaveLength(8);
  });

  it("ends where only blocks are left that cannot be read", async () => {
    const left = { ...part, released: [], unreadable: ["10.0.0.0/28"] };
    const { client, asked } = apiOf(left, part, left);
    expect(await all(releaseHost(client, { host: "n1" }))).toHaveLength(10);
    expect(asked).toHaveLength(10);
  });
});
