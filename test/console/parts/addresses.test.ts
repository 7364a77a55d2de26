import { describe, expect, it } from "vitest";
import { notFreeIn } from "../../../console/src/map/address-looks.ts";
import { heldText } from "../../../console/src/network/cidr.ts";

const assigned = (address: string) => ({ address, state: "assigned" as const });

describe("the addresses of a block that are not free", () => {
  it("have those that its host reserves at both ends, in order and each once", () => {
    const block = {
      cidr: "10.0.0.64/29",
      addresses: [assigned("10.0.0.65"), assigned("10.0.0.68")],
      hostReservation: { start: 2, end: 1, handle: "windows" },
    };
    expect(notFreeIn(block)).toEqual([
      { address: "10.0.0.64", state: "hostReserved", handle: "windows" },
      assigned("10.0.0.65"),
      assigned("10.0.0.68"),
      { address: "10.0.0.71", state: "hostReserved", handle: "windows" },
    ]);
  });

  it("are those of its slots where the host reserves none", () => {
    const addresses = [assigned("2001:db8::1")];
    expect(notFreeIn({ cidr: "2001:db8::/122", addresses })).toEqual(addresses);
  });
});

it("a held prefix has its own text, and not that of its first address", () => {
  expect(heldText({ address: "10.0.1.0", prefix: "10.0.1.0/24" })).toBe("10.0.1.0/24");
  expect(heldText({ address: "10.0.1.0" })).toBe("10.0.1.0");
});
