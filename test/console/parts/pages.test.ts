import { afterEach, expect, it, vi } from "vitest";
import { type Api, apiOf, segment } from "../../../console/src/api/api.ts";
import { listingOf } from "../../../console/src/api/pages.ts";
import { Session } from "../../../console/src/api/session.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

interface Numbers {
  readonly jobs: readonly number[];
  readonly next?: string;
}

it("a list has the items of all its pages, and those that this version cannot read", async () => {
  const pages = [
    { jobs: [1, 2], unreadable: [{ item: "job/a", reason: "format 9" }], next: "two" },
    { jobs: [3] },
    { jobs: [], unreadable: [{ item: "job/b", reason: "format 9" }] },
  ].map((page, at, { length }) => ({ ...page, next: at + 1 < length ? String(at) : undefined }));
  const api = { get: async () => pages.shift() } as unknown as Api;
  const listing = listingOf<Numbers, number>(api, { path: "jobs" }, ({ jobs }) => jobs);
  expect(await listing).toEqual({
    items: [1, 2, 3],
    unreadable: [
      { item: "job/a", reason: "format 9" },
      { item: "job/b", reason: "format 9" },
    ],
  });
});

it.each(["/web", "a//b", "a/", "10.0.0.0/26", "a b", "shop/web-0"])(
  "the name %j is in a path that no gateway shortens",
  (name) => {
    expect(`/handles/${segment(name)}`).not.toMatch(/\/\/|\/$/);
    expect(decodeURIComponent(segment(name))).toBe(name);
  },
);

it("the list of spaces has those that this version cannot read", async () => {
  const unreadable = [{ item: "space/a", reason: "format 9" }];
  vi.stubGlobal("location", { origin: "http://127.0.0.1:8787" });
  vi.stubGlobal("fetch", async () => Response.json({ spaces: [{ name: "default" }], unreadable }));
  const api = apiOf("default", new Session(() => {}));
  expect(await api.spaces()).toEqual({ items: ["default"], unreadable });
});
