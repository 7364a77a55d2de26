import { expect, it } from "vitest";
import { GoneObjects } from "../../src/controller/gone.ts";

const object = (name: string, uid = "") => ({
  metadata: { name, uid: `${name}${uid}`, resourceVersion: "1" },
});

it("a replica that follows forgets its earliest ends beyond 2,000, and one that leads none", () => {
  const gone = new GoneObjects();
  for (const uid of ["1", "2", "3"]) gone.add(object("first", uid));
  for (let n = 0; n < 1_998; n++) gone.add(object(`n${n}`));
  expect(gone.of("first").map(({ metadata }) => metadata.uid)).toEqual(["first2", "first3"]);
  gone.lead();
  for (let n = 0; n < 10; n++) gone.add(object(`later${n}`));
  expect(gone.of("first")).toHaveLength(2);
  expect([...gone.names]).toHaveLength(2_009);
  for (const one of gone.of("first")) gone.delete(one);
  expect(gone.has("first")).toBe(false);
});
