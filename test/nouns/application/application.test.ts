import { describe, expect, it } from "vitest";
import {
  applicationHash,
  assertApplication,
  handleAt,
  mayKeep,
  ordinalsOf,
  parseNumber,
  wantedEach,
} from "../../../src/nouns/application/application.ts";
import { applicationWith, listed } from "../../builders.ts";

describe("the number of an application's addresses", () => {
  it("is fixed, or beyond the replicas", () => {
    const number = (text: string) =>
      wantedEach(
        applicationWith({ replicas: 3, addresses: { number: text, interfaces: [], keep: false } }),
      );
    expect(number("5")).toBe(5);
    expect(number("+2")).toBe(5);
    expect(number("+0")).toBe(3);
  });

  it.each(["5", "+0", "+1", "1024"])("can be %s", (text) => {
    expect(parseNumber(text)).toEqual({ ok: true, value: text });
  });

  it.each(["", "0", "-1", "+", "05", "1025", "+1025", "1.5", " 5"])("cannot be %j", (text) => {
    expect(parseNumber(text).ok).toBe(false);
  });

  it("is none for an application that is deleted, or has no addresses", () => {
    expect(wantedEach(applicationWith({ state: "deleting" }))).toBe(0);
    const { addresses: _, ...without } = applicationWith({});
    expect(wantedEach(without)).toBe(0);
  });
});

describe("an application", () => {
  it("has a hash of its own name, so that no other one takes what is held for it", () => {
    const name = { namespace: "shop", kind: "Deployment", name: "web" };
    expect(applicationHash(name)).toMatch(/^[0-9a-f]{16}$/);
    expect(applicationHash({ ...name, kind: "StatefulSet" })).not.toBe(applicationHash(name));
  });

  it("counts the ordinals of a StatefulSet from its start on", () => {
    const kind = "StatefulSet";
    const state = "active";
    expect(ordinalsOf({ kind, replicas: 3, start: 5, state })).toEqual([{ first: 5, end: 8 }]);
    expect(ordinalsOf({ kind, replicas: 0, start: 5, state })).toEqual([]);
    expect(ordinalsOf({ kind: "Deployment", replicas: 3, start: 5, state })).toEqual([]);
    expect(ordinalsOf({ kind, replicas: 3, start: 5, state: "deleting" })).toEqual([]);
  });

  it("counts a virtual machine as one instance, also if it does not run", () => {
    const machine = { kind: "VirtualMachine", replicas: 0, start: 0 };
    expect(ordinalsOf({ ...machine, state: "active" })).toEqual([{ first: 0, end: 1 }]);
    expect(ordinalsOf({ ...machine, state: "retained" })).toEqual([]);
  });

  it("lists no address twice", () => {
    const twice = applicationWith({ listed: [listed("10.0.0.1"), listed("10.0.0.1")] });
    expect(() => assertApplication(twice)).toThrow("10.0.0.1 twice");
  });
});

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
    ["-6.net1", true],
    ["-7.net1", false],
  ])("db%s may keep its addresses from start to start + replicas: %s", (suffix, expected) => {
    expect(mayKeep(db, podAt(suffix))).toBe(expected);
  });

  it("may keep them if its name has no ordinal", () => {
    for (const suffix of ["", "-05", "-x", "x-7", ".x-7", "-7x", "-7."])
      expect(mayKeep(db, podAt(suffix))).toBe(true);
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
