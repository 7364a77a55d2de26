import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/api/http/event.ts";
import type { FieldProblem } from "../../src/api/schema/problem.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import type { Item } from "../../src/table/item.ts";
import { eventOf } from "../api/event.ts";
import { assignUnderOldName } from "../old-name.ts";
import { idOf, sentByRoute } from "../operations/sent.ts";
import { fewerRuns } from "../property-runs.ts";
import { anyEvent } from "./hostile.ts";
import { call, context, newSpace, send, table } from "./plat.ts";

let sent: ReadonlyMap<string, readonly Event[]>;

beforeAll(async () => {
  sent = await sentByRoute();
  await call("PUT", "/v1/pools/main", { body: { cidr: "10.0.0.0/24", blockSize: 28 } });
  await call("PUT", "/v1/pools/six", { body: { cidr: "2001:db8::/64" } });
  await call("PUT", "/v1/reservations/r", { body: { cidrs: ["10.0.0.64/28"] } });
  await call("PUT", "/v1/nodes/node-1", { body: { labels: { zone: "west" } } });
  await call("PUT", "/v1/namespaces/shop", { body: { labels: { team: "web" } } });
  await call("PUT", "/v1/config", { body: { cooldownSeconds: 0 } });
  await call("POST", "/v1/assign", {
    body: { host: "node-1", address: "10.0.0.7", handle: "held" },
  });
});

/** Sends a request, and tells whether it wrote. The table replaces items and never alters them, so identity shows a write. */
async function outcomeOf(event: Event) {
  const before = new Set(table.items());
  const reply = await send(event);
  const after = table.items();
  const wrote = after.length !== before.size || after.some((item: Item) => !before.has(item));
  return { ...reply, wrote };
}

/** Returns every text in a value, including its keys. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(textsIn)];
}

/** A demand that something which is not there cannot meet: its sender is told that it is missing. */
const OF_A_VALUE = /^must (be|have|not have)\b/;

/** Expects that what is wrong with each field is told in Plat's words, and that a missing one is told as missing. */
function expectOwnWords(fields: readonly FieldProblem[] = []): void {
  const ofSchemas = fields.filter(({ problem }) => /\b(Expected|Invalid) /.test(problem));
  expect(ofSchemas.filter(({ problem }) => !problem.startsWith("is not JSON: "))).toEqual([]);
  const missing = fields.filter((one) => !("value" in one));
  expect(missing.filter(({ problem }) => OF_A_VALUE.test(problem))).toEqual([]);
}

describe.each(ROUTES)("$method $path", (route) => {
  it("answers whatever it is sent, in Unicode, and writes nothing when that is not valid", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvent(route, sent.get(idOf(route)) ?? []), async (event) => {
        const { status, body, wrote } = await outcomeOf(event);
        expect(status, JSON.stringify(body)).toBeLessThan(500);
        // A valid request can be rejected after it has written: it claimed a block, or one of two quotas counted it.
        const valid =
          status < 400 || [409, 429].includes(status) || body.code === "idempotency_mismatch";
        if (!valid) expect(wrote).toBe(false);
        expect(textsIn(body).filter((text) => /\p{Cs}/u.test(text))).toEqual([]);
        expectOwnWords(body.fields);
      }),
      { numRuns: fewerRuns(1 / 5) },
    );
  });
});

describe.each(ROUTES.filter(({ body = [] }) => body.length > 0))("$method $path", (route) => {
  it("rejects a body with a field twice, and names it", async () => {
    const path = route.path.replaceAll(/\{(\w+)\+?\}/g, "x");
    for (const [text, field] of [
      ['{"a":1,"a":1}', "a"],
      ['{"a":[{},{"b":{"c":1,"\\u0063":2}}]}', "a[1].b.c"],
    ] as const) {
      const event = eventOf(route.method, path, { body: text });
      const { status, body, wrote } = await outcomeOf(event);
      const problem = "is there more than once; send it once";
      expect({ status, wrote }).toEqual({ status: 400, wrote: false });
      expect(body.fields).toEqual([{ field, problem }]);
    }
  });
});

const many = (entry: string) => `[${`${entry},`.repeat(490_000 / entry.length)}${entry}]`;

it.each([
  ["POST", "/v1/assign", "pools", `{"host":"n","ipv4":1,"pools":${many("0")}}`],
  ["POST", "/v1/release", "addresses", `{"addresses":${many("0")}}`],
  ["PUT", "/v1/reservations/a", "cidrs", `{"cidrs":${many("0")}}`],
  ["PUT", "/v1/pools/a", "allowedUses", `{"cidr":"10.0.0.0/24","allowedUses":${many("0")}}`],
])("%s %s tells who sends half a million wrong %s one thing", async (method, path, field, body) => {
  const { status, body: problem, wrote } = await outcomeOf(eventOf(method, path, { body }));
  expect({ status, wrote }).toEqual({ status: 400, wrote: false });
  expect(problem.fields).toMatchObject([{ field, value: expect.stringMatching(/^an array of/) }]);
});

it("a body of a hundred thousand unknown fields is rejected with some of their names", async () => {
  const fields = Array.from({ length: 99_000 }, (_, i) => `"${i.toString(36)}":1`);
  const { status, body } = await call("POST", "/v1/assign", { body: `{${fields.join(",")}}` });
  expect(status).toBe(400);
  expect(body.fields).toHaveLength(50);
});

it("a hundred thousand attributes are rejected with one sentence", async () => {
  const attributes = Array.from({ length: 80_000 }, (_, i) => `"${i.toString(36)}":1`).join(",");
  const body = `{"host":"n","ipv4":1,"attributes":{${attributes}}}`;
  const reply = await call("POST", "/v1/assign", { body });
  expect(reply.body.fields).toMatchObject([
    { field: "attributes", problem: "must have at most 50 entries" },
  ]);
});

it.each(['{"toString":1}', `${"[".repeat(50_000)}${"]".repeat(50_000)}`])(
  "a manifest whose kind is no text is rejected by its field: %#",
  async (kind) => {
    const { status, body } = await call("PUT", "/v1/pools/a", { body: `{"kind":${kind}}` });
    expect(status).toBe(400);
    expect(body.fields.map(({ field }: { field: string }) => field)).toContain("kind");
  },
);

it("a body that is packed is rejected unread, in each form", async () => {
  for (const encoding of ["gzip", "br", "deflate, gzip", "GZIP"])
    expect(
      await call("POST", "/v1/assign", {
        headers: { "content-encoding": encoding },
        body: { host: "n", ipv4: 1 },
      }),
    ).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
});

it("names that look like separators or escapes name themselves alone", async () => {
  const plat = newSpace();
  await plat.put("/v1/pools/main", { cidr: "10.0.0.0/16", blockSize: 28 });
  const names = ["a", "a#b", "a%23b", "a%2523b", "#", "%23", "%25", "a#0#b", "host:a", "__proto__"];
  const { space } = plat;
  // Requests can no longer use some of these names, so the test assigns below the API.
  const assigned = async (name: string) => {
    const asked = { space, host: name, handle: name, ipv4: 1, limitPerHandle: 1 };
    const { addresses } = (await assignUnderOldName(context, asked)) as Assignment;
    return addresses.map(({ address }) => address);
  };
  const held = new Map<string, readonly string[]>();
  for (const name of names) held.set(name, await assigned(name));
  for (const name of names) {
    expect({ name, held: held.get(name)?.length }).toEqual({ name, held: 1 });
    const { body } = await plat.get("/v1/blocks", { host: name });
    expect(body.blocks).toMatchObject([{ host: name, inUse: 1 }]);
    expect(await assigned(name)).toEqual(held.get(name));
  }
  for (const name of names)
    expect((await plat.release({ handle: name })).body.released).toEqual(held.get(name));
});
