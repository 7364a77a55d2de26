import { beforeAll, describe, expect, it } from "vitest";
import { actsInEverySpace, leavesSpaceOut, pathIn } from "../../src/api/route.ts";
import { PAGE_MS_MAX } from "../../src/base/limits.ts";
import { ROUTES, type Route } from "../../src/contract/routes.ts";
import { call, scheduledRun, spaceNamed, startAnew, table } from "./plat.ts";
import { published } from "./published.ts";

/** The two spaces differ in every name, so that a name of one in a cursor of the other shows. */
const [BLUE, RED] = ["blue", "red"].map((colour) => ({ colour, plat: spaceNamed(colour) })) as [
  Side,
  Side,
];

interface Side {
  readonly colour: string;
  readonly plat: ReturnType<typeof spaceNamed>;
}

/** Fills a space so that each of its lists has more than one page. */
async function fill({ colour, plat }: Side): Promise<void> {
  const n = colour === "blue" ? 10 : 11;
  const done = async (answer: Promise<{ readonly status: number; readonly body: unknown }>) => {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  };
  await done(plat.put("/v1/config", { indexedAttributes: ["pod"], cooldownSeconds: 0 }));
  await done(plat.put(`/v1/quotas/${colour}-all`, { addresses: 1_000 }));
  await done(plat.put(`/v1/quotas/${colour}-more`, { addresses: 1_000 }));
  for (const i of [1, 2, 3]) {
    const name = `${colour}-${i}`;
    await done(plat.put(`/v1/pools/${name}`, { cidr: `${n}.${i}.0.0/16`, blockSize: 28 }));
    await done(plat.put(`/v1/reservations/${name}`, { cidrs: [`${n}.${i}.255.0/30`] }));
    await done(plat.put(`/v1/nodes/${name}`, { labels: { zone: colour } }));
    await done(plat.put(`/v1/namespaces/${name}`, { labels: {} }));
    await done(plat.put(`/v1/pools/${name}-gone`, { cidr: `${n}.${100 + i}.0.0/24` }));
    await done(plat.delete(`/v1/pools/${name}-gone`, { "if-match": "*" }));
    await done(
      plat.put(`/v1/pools/${name}-prefixes`, {
        cidr: `${n}.${50 + i}.0.0/16`,
        assign: "prefixes",
        blockSize: 24,
      }),
    );
    const application = { replicas: 1, addresses: { pools: [`${colour}-held`] } };
    if (i === 1)
      await done(
        plat.put(`/v1/pools/${colour}-held`, {
          cidr: `${n}.200.0.0/16`,
          blockSize: 28,
          assignmentMode: "Applications",
          ranges: [`${n}.200.0.0/24`],
        }),
      );
    await done(plat.put(`/v1/applications/${colour}/Deployment/${name}`, application));
  }
  for (const ordinal of [1, 2, 3]) {
    const address = `${n}.1.0.${ordinal}`;
    const taken = { host: `${colour}-1`, address, handle: `${colour}-named` };
    await done(plat.assign(taken));
    await done(plat.release({ addresses: [{ address, handle: taken.handle }] }));
    await done(plat.assign(taken));
  }
  for (let i = 0; i < 6; i++) {
    const pool = `${colour}-${(i % 3) + 1}`;
    await done(
      plat.assign({
        ...{ host: `${colour}-${(i % 2) + 1}`, handle: `${colour}-handle`, pools: [pool] },
        ...{ ipv4: 20, attributes: { pod: `${colour}-${i % 2}` }, limitPerHandle: 256 },
      }),
    );
    await done(
      plat.call("POST", "/v1/prefixes", {
        body: {
          handle: `${colour}-handle`,
          family: 4,
          prefixLength: 24,
          pools: [`${pool}-prefixes`],
        },
      }),
    );
    await done(
      plat.assign({
        host: `${colour}-host-${i}`,
        ipv4: 1,
        handle: `${colour}-${i}`,
        pools: [pool],
      }),
    );
  }
}

/** The variable parts of paths. */
const partsOf = ({ colour }: Side): Readonly<Record<string, string>> => ({
  name: `${colour}-1`,
  node: `${colour}-1`,
  handle: `${colour}-handle`,
  ip: colour === "blue" ? "10.1.0.1" : "11.1.0.1",
  cidr: colour === "blue" ? "10.1.0.0/28" : "11.1.0.0/28",
});

/** What some lists need in their query, to have more than one page. */
const QUERIES: Readonly<Record<string, (side: Side) => Readonly<Record<string, string>>>> = {
  listPrefixes: ({ colour }) => ({ handle: `${colour}-handle` }),
  pollEvents: () => ({ since: new Date(Date.now() - 60_000).toISOString() }),
};

/** The lists of the API, each once. */
const LISTS = ROUTES.filter(
  ({ method, path, query = {} }) =>
    method === "GET" && "cursor" in query && (leavesSpaceOut(path) || actsInEverySpace(path)),
);

const decoded = (cursor: string): string => Buffer.from(cursor, "base64url").toString("utf8");

interface Page {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly cursor: string;
}

function requestTo({ id, path, query = {} }: Route, side: Side): Omit<Page, "cursor"> {
  const parts = partsOf(side);
  const filled = path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => parts[name] ?? "");
  return {
    path: actsInEverySpace(path) ? filled : pathIn(side.colour, filled),
    query: { ...("limit" in query && { limit: "1" }), ...QUERIES[id]?.(side) },
  };
}

const CURSORS_PER_LIST_MAX = 40;

/** Walks a list, and returns its cursors. */
async function cursorsOf(route: Route, side: Side): Promise<readonly Page[]> {
  const { path, query } = requestTo(route, side);
  const pages: Page[] = [];
  const ahead: (string | undefined)[] = [undefined];
  while (ahead.length > 0 && pages.length < CURSORS_PER_LIST_MAX) {
    const cursor = ahead.shift();
    const { since: _, ...others } = query;
    const asked = cursor === undefined ? query : { ...others, cursor };
    const { status, body } = await call("GET", path, { query: asked });
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
    const next = [body.next, ...(body.ranges ?? [])].filter((each) => each !== undefined);
    for (const each of next) pages.push({ path, query: others, cursor: each });
    const isPoll = route.id === "pollEvents" && body.events.length === 0;
    if (!isPoll) ahead.push(...next);
  }
  return pages;
}

const NAMES = LISTS.map((route) => [`${route.method} ${route.path}`, route] as const);

describe("the cursors of every list, over a table so slow that a page ends after each read", () => {
  beforeAll(async () => {
    for (const side of [RED, BLUE]) await fill(side);
    await scheduledRun("repair")();
    await published();
    // Each call to the table takes as long as a page may.
    let lateMs = 0;
    const { query, scan, get } = table;
    const late = <Args extends readonly unknown[], Result>(
      read: (...args: Args) => Promise<Result>,
    ) =>
      ((...args: Args) => {
        lateMs += PAGE_MS_MAX + 1;
        return read.apply(table, args as never);
      }) as never;
    Object.assign(table, {
      query: late(query),
      scan: late((_, options) => scan.call(table, 7, options as never)),
      get: late(get),
    });
    startAnew({ now: () => Date.now() + lateMs });
  });

  it.each(NAMES)("name nothing of another space: %s", async (_, route) => {
    const pages = await cursorsOf(route, BLUE);
    expect(pages.length).toBeGreaterThan(0);
    // The list of spaces is for callers who may see all of them.
    if (route.id === "listSpaces") return;
    for (const { cursor } of pages) expect(decoded(cursor)).not.toMatch(/red/);
  });

  it.each(NAMES)("are rejected by name when they are forged: %s", async (_, route) => {
    const { path: other, query: otherQuery } = requestTo(route, RED);
    const everySpace = actsInEverySpace(route.path);
    for (const { path, query, cursor } of (await cursorsOf(route, BLUE)).slice(0, 3)) {
      const send = (at: string, asked: typeof query, forged: string) =>
        call("GET", at, { query: { ...asked, cursor: forged } });
      const rejected = { status: 400, body: { fields: [{ field: "?cursor" }] } };
      const { since: _, ...red } = otherQuery;
      if (!everySpace) expect(await send(other, red, cursor)).toMatchObject(rejected);
      // Cut off, or of no list at all.
      for (const forged of [cursor.slice(0, -8), "", "e30", "%", `${cursor}x`.slice(1)])
        expect(await send(path, query, forged)).toMatchObject(rejected);
      // A place in the table, where another space is.
      const key = JSON.stringify({ pk: "NAMESPACE#red", sk: "red-1" });
      const { of } = parsed(cursor);
      const places = [
        { after: key },
        { orphansAfter: key },
        { after: { pk: "SPACE#red", sk: "A" } },
        key,
        {},
      ];
      for (const position of places) {
        const forged = Buffer.from(JSON.stringify({ of, position })).toString("base64url");
        const { status, body } = await send(path, query, forged);
        // A list by names takes any name to continue after.
        if (status === 200 && !everySpace)
          expect(JSON.stringify(body) + decoded(body.next ?? "")).not.toMatch(/red/);
        else expect({ status, body }).toMatchObject(rejected);
      }
    }
  });
});

it("a sealed cursor is rejected whatever one character of it is changed to", async () => {
  const route = LISTS.find(({ id }) => id === "listOrphans") as Route;
  const [{ path, cursor }] = (await cursorsOf(route, BLUE)) as [Page];
  expect(decoded(cursor)).not.toMatch(/pk/);
  for (const [i, character] of [...cursor].entries()) {
    const other = character === "A" ? "B" : "A";
    const forged = `${cursor.slice(0, i)}${other}${cursor.slice(i + 1)}`;
    expect(await call("GET", path, { query: { cursor: forged } })).toMatchObject({
      status: 400,
      body: { fields: [{ field: "?cursor" }] },
    });
  }
});

function parsed(cursor: string): { readonly of?: unknown } {
  try {
    return JSON.parse(decoded(cursor));
  } catch {
    return {};
  }
}
