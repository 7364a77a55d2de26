import { describe, expect, it } from "vitest";
import { handleAt, mayKeep } from "../../../src/nouns/application/instances.ts";
import { applicationWith } from "../../builders.ts";

const DB = { namespace: "shop", kind: "StatefulSet", name: "db" };
const db = applicationWith({ ...DB, replicas: 2, start: 5 });
const podAt = (suffix: string, kind = "StatefulSet") => ({
  ...DB,
  kind,
  instance: `db${suffix}`,
});

describe("an instance of a registered StatefulSet", () => {
  it.each([
    ["-4", false],
    ["-5", true],
    ["-6", true],
    ["-7", false],
  ])("db%s may keep its addresses from start to start + replicas: %s", (suffix, expected) => {
    expect(mayKeep(db, podAt(suffix))).toBe(expected);
  });

  it("may keep them if its name has no ordinal", () => {
    for (const suffix of ["", "-05", "-x", "x-7"]) expect(mayKeep(db, podAt(suffix))).toBe(true);
  });

  it("is found by the handle of its ordinal", () => {
    expect(handleAt(db, 5)).toBe("workload/shop/StatefulSet/db/db-5");
  });
});

describe("a registered virtual machine", () => {
  const kind = "VirtualMachine";
  const vm = applicationWith({ ...DB, kind, replicas: 0 });

  it("keeps its addresses while it does not run, and none after its deletion", () => {
    expect(mayKeep(vm, podAt("", kind))).toBe(true);
    expect(mayKeep({ ...vm, state: "deleting" }, podAt("", kind))).toBe(false);
  });

  it("is found by the handle of its only instance", () => {
    expect(handleAt(vm, 0)).toBe("workload/shop/VirtualMachine/db/db");
  });
});

it("an instance without a registered application may keep its addresses", () => {
  expect(mayKeep(undefined, podAt("-9"))).toBe(true);
});
