import { describe, expect, it } from "vitest";
import { Problem } from "../../../src/api/schema/problem.ts";
import type { Listed } from "../../../src/base/listed.ts";
import { poolListAnswer } from "../../../src/nouns/pool/serve/answer.ts";
import { parsePoolPut } from "../../../src/nouns/pool/serve/request.ts";
import type { Reservation } from "../../../src/nouns/reservation/reservation.ts";
import {
  parseReservationPut,
  reservationList,
} from "../../../src/nouns/reservation/serve/reservation.ts";
import { eventOf } from "../event.ts";
import { rejectedFields } from "../problem-of.ts";

/** The maximum size of a Lambda answer in bytes. */
const ANSWER_BYTES_MAX = 6 * 1024 * 1024;

const list = (query: Readonly<Record<string, string>>) =>
  reservationList.read(eventOf("GET", "/v1/reservations", { query }));

interface Page {
  readonly next?: string;
  readonly [list: string]: unknown;
}

/** Returns the pages of a list in the order in which a reader follows its cursors. */
function pagesOf<Item>(
  named: {
    read: typeof poolListAnswer.read;
    answer: (listed: Listed<Item>, id: string, wanted: never) => { body: unknown };
  },
  items: readonly Item[],
  query: Readonly<Record<string, string>> = {},
): Page[] {
  const pages: Page[] = [];
  for (let cursor: string | undefined; ; ) {
    const asked = { ...query, ...(cursor !== undefined && { cursor }) };
    const wanted = named.read(eventOf("GET", "/v1/any", { query: asked }));
    const page = named.answer({ items, unreadable: [] }, "id", wanted as never).body as Page;
    pages.push(page);
    cursor = page.next;
    if (cursor === undefined) return pages;
  }
}

const named = (count: number, of: object) =>
  Array.from({ length: count }, (_, i) => ({ ...of, name: `n${String(i).padStart(4, "0")}` }));
/** Returns the bytes of a page in the answer of a function, which has it as a text. */
const bytesOf = (page: Page) => Buffer.byteLength(JSON.stringify(JSON.stringify(page)));

const SMALL = { space: "default", cidrs: ["10.0.0.0/30"], intervals: [], revision: "r" };

describe("a list of what has a name", () => {
  it("comes in pages, each thing once and in order, and the last page has no next", () => {
    const items = named(7, SMALL) as unknown as Reservation[];
    const pages = pagesOf(reservationList, items, { limit: "3" });
    const names = pages.map(({ reservations }) =>
      (reservations as Reservation[]).map((one) => one.name),
    );
    expect(names).toEqual([["n0000", "n0001", "n0002"], ["n0003", "n0004", "n0005"], ["n0006"]]);
    expect(pages.map(({ next }) => typeof next)).toEqual(["string", "string", "undefined"]);
    expect(pagesOf(reservationList, items.slice(0, 3), { limit: "3" })).toHaveLength(1);
    expect(pagesOf(reservationList, [])).toEqual([{ reservations: [] }]);
  });

  it("goes on after what was deleted meanwhile", () => {
    const items = named(4, SMALL) as unknown as Reservation[];
    const [first] = pagesOf(reservationList, items, { limit: "2" });
    const wanted = list({ limit: "2", cursor: first?.next ?? "" });
    const left = items.filter(({ name }) => name !== "n0001");
    expect(
      reservationList.answer({ items: left, unreadable: [] }, "id", wanted as never).body,
    ).toMatchObject({
      reservations: [{ name: "n0002" }, { name: "n0003" }],
    });
  });

  it("rejects a page of none or of too many, and the cursor of another list", () => {
    for (const limit of ["0", "251", "x"])
      expect(rejectedFields(() => list({ limit }))).toEqual([
        "?limit: must be a whole number from 1 to 250",
      ]);
    const [{ next = "" } = {}] = pagesOf(reservationList, named(2, SMALL) as never, { limit: "1" });
    const other = eventOf("GET", "/v1/pools", { query: { cursor: next } });
    expect(() => poolListAnswer.read(other)).toThrow(Problem);
  });

  it("has no page that Lambda could not answer, whatever reservations may say", () => {
    const end = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255";
    const cidrs = Array<string>(1_000).fill(`${end}-${end}`);
    const reason = "\u0001".repeat(1_024);
    const put = parseReservationPut(
      eventOf("PUT", "/v1/reservations/n", { body: { cidrs, reason } }),
    );
    expect(put).toMatchObject({ spec: { cidrs, reason } });
    const items = named(200, { ...SMALL, cidrs, reason }) as unknown as Reservation[];
    const pages = pagesOf(reservationList, items, { limit: "250" });
    expect(pages.flatMap(({ reservations }) => reservations)).toHaveLength(200);
    expect(Math.max(...pages.map(bytesOf))).toBeLessThan(ANSWER_BYTES_MAX * 0.95);
  });

  it("has no page that Lambda could not answer, whatever pools may say", () => {
    const text = `a == "${"\u0001".repeat(1_017)}"`;
    const body = {
      cidr: "10.0.0.0/24",
      allowedUses: ["Workload"],
      nodeSelector: text,
      namespaceSelector: text,
    };
    const put = parsePoolPut(eventOf("PUT", "/v1/pools/n", { body }));
    expect(put).toMatchObject({ spec: { nodeSelector: { text } } });
    const { spec } = put;
    const items = named(2_000, { ...spec, space: "default", state: "active", revision: "r" });
    const pages = pagesOf(poolListAnswer, items as never, { limit: "250" });
    expect(pages.flatMap(({ pools }) => pools)).toHaveLength(2_000);
    expect(Math.max(...pages.map(bytesOf))).toBeLessThan(ANSWER_BYTES_MAX * 0.95);
  });

  it("has no page that Lambda could not answer, if the principals of pools are all quotes", () => {
    const principals = Array.from({ length: 64 }, (_, n) => '"'.repeat(630) + n);
    const { spec } = parsePoolPut(
      eventOf("PUT", "/v1/pools/n", { body: { cidr: "10.0.0.0/24", principals } }),
    );
    const items = named(200, { ...spec, space: "default", state: "active", revision: "r" });
    const pages = pagesOf(poolListAnswer, items as never, { limit: "250" });
    expect(pages.flatMap(({ pools }) => pools)).toHaveLength(200);
    expect(Math.max(...pages.map(bytesOf))).toBeLessThan(ANSWER_BYTES_MAX * 0.95);
  });
});
