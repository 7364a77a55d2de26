import { describe, expect, it } from "vitest";
import { parseReservationPut } from "../../../../src/nouns/reservation/serve/reservation.ts";
import { eventOf } from "../../../api/event.ts";
import { problemIn, rejectedFields } from "../../../api/problem-of.ts";

const put = (body: unknown, type = "application/json") =>
  parseReservationPut(
    eventOf("PUT", "/v1/reservations/gateways", { body, headers: { "content-type": type } }),
  );

/** As `kubectl get spiderreservedip gateways -o yaml` prints it. */
const KUBECTL = `apiVersion: spiderpool.spidernet.io/v2beta1
kind: SpiderReservedIP
metadata:
  creationTimestamp: "2026-03-11T08:12:45Z"
  finalizers:
  - spiderpool.spidernet.io
  generation: 1
  name: gateways
  resourceVersion: "1192"
  uid: 3f7f0f6e-8b0e-4f0b-a9a3-0d9c4f6b7f2a
spec:
  ipVersion: 4
  ips:
  - 10.6.168.131-10.6.168.132
  - 10.6.168.1
`;

const manifest = (spec: unknown, more: object = {}) => ({
  apiVersion: "spiderpool.spidernet.io/v2beta1",
  kind: "SpiderReservedIP",
  metadata: { name: "gateways" },
  spec,
  ...more,
});

describe("a SpiderReservedIP", () => {
  it("is a reservation of its addresses, as kubectl prints it", () => {
    expect(put(KUBECTL, "application/yaml")).toMatchObject({
      name: "gateways",
      spec: { cidrs: ["10.6.168.131-10.6.168.132", "10.6.168.1"] },
      ignored: [],
    });
  });

  it("is found by its name among others, which are named", () => {
    const other = manifest({ ips: ["10.0.0.1"] }, { metadata: { name: "other" } });
    const items = [other, manifest({ ips: ["2001:db8::1"] }), { apiVersion: "v1", kind: "Pod" }];
    expect(put({ apiVersion: "v1", kind: "List", items })).toMatchObject({
      spec: { cidrs: ["2001:db8::1"] },
      ignored: ["SpiderReservedIP other", "Pod without a name"],
    });
  });

  it("has the name of the URL", () => {
    const { code, fields } = problemIn(() =>
      put(manifest({ ips: ["10.0.0.1"] }, { metadata: { name: "other" } })),
    );
    expect(code).toBe("name_mismatch");
    expect(fields).toMatchObject([{ field: "metadata.name", value: "other" }]);
  });

  it.each<[string, object, string]>([
    ["no addresses", manifest({ ipVersion: 4 }), "spec.ips: is required"],
    ["an empty list", manifest({ ips: [] }), "spec.ips: must have an entry"],
    ["a reversed range", manifest({ ips: ["10.0.0.9-10.0.0.1"] }), "spec.ips[0]: is reversed"],
    [
      "addresses of the other family",
      manifest({ ipVersion: 6, ips: ["2001:db8::1", "10.0.0.1"] }),
      "spec.ips[1]: must be IPv6, as ipVersion says",
    ],
    [
      "a family that is none",
      manifest({ ipVersion: 5, ips: ["::1"] }),
      "spec.ipVersion: must be 4",
    ],
    [
      "a field of a pool",
      manifest({ ips: ["::1"], subnet: "::/64" }),
      "spec.subnet: is not a field",
    ],
    ["no spec", manifest(undefined), "spec: is required"],
    [
      "an unknown version",
      manifest({ ips: ["::1"] }, { apiVersion: "spiderpool.spidernet.io/v1" }),
      "apiVersion: must be spiderpool.spidernet.io/v2beta1",
    ],
    [
      "the kind of a pool",
      manifest({ ips: ["::1"] }, { kind: "SpiderIPPool" }),
      "kind: must be Spider",
    ],
  ])("with %s is rejected by the name of its field", (_, body, problem) => {
    expect(rejectedFields(() => put(body))).toEqual([expect.stringContaining(problem)]);
  });
});
