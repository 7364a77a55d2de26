import { describe, expect, it } from "vitest";
import { parseReservationPut } from "../../../../src/nouns/reservation/serve/reservation.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

const put = (body: unknown) =>
  parseReservationPut(eventOf("PUT", "/v1/reservations/gateways", { body }));

describe("a reservation", () => {
  it("names CIDRs, addresses and ranges of both families, and keeps their text", () => {
    const cidrs = ["10.0.0.0/30", "10.0.0.9", "10.0.1.0-10.0.1.9", "2001:DB8::/64"];
    expect(put({ cidrs, reason: "routers" })).toMatchObject({
      name: "gateways",
      spec: { cidrs, intervals: [{}, {}, {}, { family: 6 }], reason: "routers" },
    });
  });

  it("keeps no blanks, of which there may be as many as a body has room for", () => {
    const cidrs = [`10.0.1.0${" ".repeat(1_000)}-\t10.0.1.9`, "10.0.0.1 - 10.0.0.2"];
    const kept = ["10.0.1.0-10.0.1.9", "10.0.0.1-10.0.0.2"];
    expect(put({ cidrs })).toMatchObject({ spec: { cidrs: kept } });
  });

  it("may have a reason in any language, in lines", () => {
    const reason = "Gateways – 网关 🛜\nask Zoë";
    expect(put({ cidrs: ["::1"], reason })).toMatchObject({ spec: { reason } });
  });

  it.each<[string, unknown, string]>([
    ["nothing", {}, "cidrs: is required"],
    ["no entry", { cidrs: [] }, "cidrs: must have an entry"],
    ["one text", { cidrs: "10.0.0.0/8" }, "cidrs: must be an array of CIDRs, addresses and ranges"],
    [
      "a reversed range",
      { cidrs: ["::1", "10.0.0.9-10.0.0.1"] },
      "cidrs[1]: is reversed: its first",
    ],
    ["a range of both families", { cidrs: ["10.0.0.1-::1"] }, "cidrs[0]: mixes IPv4 and IPv6"],
    [
      "three ends",
      { cidrs: ["10.0.0.1-10.0.0.2-10.0.0.3"] },
      "cidrs[0]: is not a CIDR, an address",
    ],
    ["host bits", { cidrs: ["10.0.0.1/8"] }, "cidrs[0]: has bits set below its prefix"],
    ["a name", { cidrs: ["gateway"] }, "cidrs[0]: is not a CIDR, an address or a range such as"],
    ["too many", { cidrs: Array(1001).fill("10.0.0.1") }, "cidrs: must have at most 1000 entries"],
    ["a number as reason", { cidrs: ["::1"], reason: 7 }, "reason: must be a string"],
    ["half a character in its reason", { cidrs: ["::1"], reason: "a\ud800" }, "reason: must be"],
    ["an unknown field", { cidrs: ["::1"], ranges: [] }, "ranges: is not a field here"],
  ])("of %s is rejected by the name of its field", (_, body, rejection) => {
    expect(rejectedFields(() => put(body))).toEqual([expect.stringContaining(rejection)]);
  });
});
