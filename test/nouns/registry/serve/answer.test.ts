import { expect, it } from "vitest";
import { namespaceList, nodeList } from "../../../../src/nouns/registry/serve/answer.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

it("a cursor of another list is rejected", () => {
  const first = nodeList.answer({ items: [], unreadable: [], next: "node-1" }, "", {
    space: "default",
    limit: 1,
    after: undefined,
  });
  const { next } = first.body as { next: string };
  const list = (path: string, of: typeof nodeList | typeof namespaceList) =>
    of.read(eventOf("GET", path, { query: { cursor: next } }));
  expect(list("/v1/nodes", nodeList)).toMatchObject({ after: "node-1", limit: 100 });
  expect(rejectedFields(() => list("/v1/namespaces", namespaceList))).toEqual([
    expect.stringContaining("?cursor: belongs to another list"),
  ]);
});
