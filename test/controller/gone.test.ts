import { expect, it } from "vitest";
import { FOLLOWED_MS_MAX, GoneObjects } from "../../src/controller/gone.ts";
import type { Waits } from "../../src/controller/kube/waits.ts";

const object = (name: string, uid = "") => ({
  metadata: { name, uid: `${name}${uid}`, resourceVersion: "1" },
});

it("a replica that follows forgets its ends after six hours, and the earliest beyond 2,000; one that leads none", () => {
  let nowMs = 0;
  const gone = new GoneObjects({ now: () => nowMs } as Waits);
  gone.add(object("old"));
  nowMs += FOLLOWED_MS_MAX;
  gone.add(object("new"));
  expect([...gone.names]).toEqual(["old", "new"]);
  nowMs++;
  gone.add(object("newer"));
  expect([...gone.names]).toEqual(["new", "newer"]);
  for (const name of ["new", "newer"]) for (const one of gone.of(name)) gone.delete(one);
  for (const uid of ["1", "2", "3"]) gone.add(object("first", uid));
  for (let n = 0; n < 1_998; n++) gone.add(object(`n${n}`));
  expect(gone.of("first").map(({ metadata }) => metadata.uid)).toEqual(["first2", "first3"]);
  gone.lead();
  nowMs += 2 * FOLLOWED_MS_MAX;
  for (let n = 0; n < 10; n++) gone.add(object(`later${n}`));
  expect(gone.of("first")).toHaveLength(2);
  expect([...gone.names]).toHaveLength(2_009);
  for (const one of gone.of("first")) gone.delete(one);
  expect(gone.has("first")).toBe(false);
});
