import { describe, expect, it } from "vitest";
import type { Event } from "../../../../src/api/http/event.ts";
import { orProblem, Problem } from "../../../../src/api/schema/problem.ts";
import type { AssignRequest } from "../../../../src/kernel/assign/assignment.ts";
import { formatAddress } from "../../../../src/net/address.ts";
import { parseAssign } from "../../../../src/nouns/address/serve/assign.ts";
import { parsePoolPut } from "../../../../src/nouns/pool/serve/request.ts";
import { eventOf, type Request } from "../../../api/event.ts";
import { problemIn, rejectedFields } from "../../../api/problem-of.ts";

const readAsIs = (body: unknown, request: Request = {}) =>
  parseAssign(eventOf("POST", "/v1/assign", { ...request, body }), () => "fresh-handle");
/** Reads a request, with an Idempotency-Key if the test names none. */
const read = (body: unknown, request: Request = {}) =>
  readAsIs(body, { ...request, headers: { "idempotency-key": "k", ...request.headers } });
const accepted = (body: unknown, request?: Request) => read(body, request) as AssignRequest;

describe("a request to assign", () => {
  it("for a count of one family is read with its defaults", () => {
    expect(accepted({ host: "node-1", ipv4: 3 })).toMatchObject({
      space: "default",
      host: "host:node-1",
      wanted: [{ family: 4, count: 3 }],
      attributes: {},
      pools: [],
      allowPartial: false,
    });
    expect(accepted({ host: "node-1", ipv6: 1 }).wanted).toEqual([{ family: 6, count: 1 }]);
  });

  it("for both families is read as one request, however it is written", () => {
    const wanted = [
      { family: 4, count: 2 },
      { family: 6, count: 3 },
    ];
    expect(accepted({ host: "n", ipv4: 2, ipv6: 3 }).wanted).toEqual(wanted);
    expect(accepted({ ipv6: 3, ipv4: 2, host: "n" }).wanted).toEqual(wanted);
  });

  it("may take less than it asks for, and cap the blocks of its host", () => {
    const body = { host: "n", ipv4: 9, allowPartial: true, maxBlocksPerHost: 2 };
    expect(accepted(body)).toMatchObject({ allowPartial: true, maxBlocksPerHost: 2 });
  });

  it("with a cap of 0 blocks has no cap of its own, as in Calico", () => {
    for (const maxBlocksPerHost of [0, null])
      expect(accepted({ host: "n", ipv4: 1, maxBlocksPerHost })).not.toHaveProperty(
        "maxBlocksPerHost",
      );
  });

  it("for a specific address takes its family from the address", () => {
    const wanted = (address: string) => accepted({ host: "n", address }).wanted;
    expect(wanted("10.0.0.7")).toEqual([{ family: 4, count: 1 }]);
    expect(wanted("2001:db8::7")).toEqual([{ family: 6, count: 1 }]);
  });

  it("for a specific address of each family wants one of each, in any order", () => {
    const [first, second] = [
      ["2001:db8::7", "10.0.0.7"],
      ["10.0.0.7", "2001:db8::7"],
    ].map((addresses) => accepted({ host: "n", handle: "h", addresses }));
    expect(first?.wanted).toEqual([
      { family: 4, count: 1 },
      { family: 6, count: 1 },
    ]);
    expect(first?.addresses?.map(formatAddress)).toEqual(["10.0.0.7", "2001:db8::7"]);
    expect(second).toEqual(first);
  });

  it("for a list of one specific address is the request for this address", () => {
    const body = { host: "n", handle: "h" };
    const listed = accepted({ ...body, addresses: ["10.0.0.7"] });
    expect(listed).toEqual(accepted({ ...body, address: "10.0.0.7" }));
    // Allocations that are stored have this digest.
    expect(listed.digest).toBe("BL5BDAO0go9vgCqXUNb5cZ");
  });

  it("of a virtual owner never collides with a host of that name", () => {
    const body = { host: "load-balancer", affinityType: "virtual", ipv4: 1 };
    expect(accepted(body).host).toBe("virtual:load-balancer");
  });

  it("may carry attributes under almost any name that objects happen to have", () => {
    const attributes = { toString: "b", prototype: "c", hasOwnProperty: "d" };
    expect(accepted({ host: "n", ipv4: 1, attributes }).attributes).toEqual(attributes);
  });

  it("names a pool by its CIDR in any text of it", () => {
    const pools = ["default-ipv6", "2001:DB8:0::/48"];
    expect(accepted({ host: "n", ipv6: 1, pools }).pools).toEqual([
      "default-ipv6",
      "2001:db8::/48",
    ]);
  });
});

describe("a request to assign is rejected by the name of its field when it has", () => {
  const ok = { host: "node-1", ipv4: 1 };
  const A = "10.0.0.1";
  const ETH0 = { name: "eth0", ipv4: 1 };
  const withInterface = (one: object) => ({ host: "n", interfaces: [one] });
  const long = (characters: number) => "x".repeat(characters);

  it.each<[string, unknown, string]>([
    ["no host", { ipv4: 1 }, "host: is required"],
    ["a host with spaces", { ...ok, host: "node 1" }, "host: must be 1 to 253 printable ASCII"],
    ["a host with control characters", { ...ok, host: "a\u0000" }, "host: must be 1 to 253"],
    ["an empty host", { ...ok, host: "" }, "host: must be 1 to 253"],
    ["a host that is too long", { ...ok, host: long(254) }, "host: must be 1 to 253"],
    ["a number as host", { ...ok, host: 7 }, "host: must be a string"],
    ["an unknown affinity type", { ...ok, affinityType: "x" }, 'affinityType: must be "host" or'],
    ["a negative count", { host: "n", ipv4: -1 }, "ipv4: must be a whole number from 0"],
    ["a fraction as count", { host: "n", ipv4: 1.5 }, "ipv4: must be a whole number from 0"],
    ["a text as count", { host: "n", ipv4: "1" }, "ipv4: must be a whole number from 0"],
    ["a count of null", { host: "n", ipv4: null }, "ipv4: must be a whole number from 0"],
    ["a count of 300 digits", `{"host":"n","ipv4":${"9".repeat(300)}}`, "ipv4: must be a whole"],
    ["a count of 400 digits", `{"host":"n","ipv4":${"9".repeat(400)}}`, "ipv4: must be a whole"],
    ["a text as leave for less", { ...ok, allowPartial: "yes" }, "allowPartial: must be true or"],
    [
      "a negative cap on blocks",
      { ...ok, maxBlocksPerHost: -1 },
      "maxBlocksPerHost: must be a whole number from 0 to 1000000, or null for no cap",
    ],
    [
      "a cap on blocks beyond all",
      { ...ok, maxBlocksPerHost: 1e6 + 1 },
      "maxBlocksPerHost: must be",
    ],
    ["neither count nor address", { host: "n" }, "ipv4: is 0 and so is ipv6; send"],
    ["a count and an address", { ...ok, address: "10.0.0.1" }, "address: excludes ipv4 and ipv6"],
    ["no address at all", { host: "n", address: "10.0.0" }, "address: is not an IPv4 or IPv6"],
    ["an address with leading zeros", { host: "n", address: "010.0.0.1" }, "address: is not an"],
    ["an address with a zone", { host: "n", address: "fe80::1%eth0" }, "address: is not an IPv4"],
    [
      "a list and an address",
      { host: "n", address: A, addresses: [A] },
      "addresses: excludes address",
    ],
    ["a list and a count", { ...ok, addresses: [A] }, "addresses: excludes ipv4 and ipv6: it asks"],
    ["an empty list", { host: "n", addresses: [] }, "addresses: must have an address"],
    ["a text for a list", { host: "n", addresses: A }, "addresses: must be an array of addresses"],
    [
      "two of a family",
      { host: "n", addresses: [A, "10.0.0.2"] },
      "addresses: must have at most one",
    ],
    [
      "three addresses",
      { host: "n", addresses: [A, "::1", A] },
      "addresses: must have at most one",
    ],
    ["no address in a list", { host: "n", addresses: [A, "x"] }, "addresses[1]: is not an IPv4 or"],
    [
      "a list of which a part is enough",
      { host: "n", addresses: [A], allowPartial: true },
      "allowPartial: is excluded by addresses: all are assigned, or none is",
    ],
    [
      "a list beside interfaces",
      { host: "n", addresses: [A], interfaces: [{ name: "eth0", ipv4: 1 }] },
      "addresses: is excluded by interfaces: they are of no interface",
    ],
    [
      "the broadcast address in a list",
      { host: "n", addresses: ["fd00::1", "255.255.255.255"] },
      "addresses[1]: is the limited broadcast address (RFC 919, section 7), which is never assigned",
    ],
    ["an empty handle", { ...ok, handle: "" }, "handle: must be 1 to 253 printable"],
    ["a handle with a line break", { ...ok, handle: "a\nb" }, "handle: must be 1 to 253"],
    ["half a character in its handle", '{"host":"n","ipv4":1,"handle":"\\ud800"}', "handle: must"],
    ["attributes in an array", { ...ok, attributes: ["a"] }, "attributes: must be an object of"],
    ["an attribute that is no text", { ...ok, attributes: { pod: 1 } }, "attributes.pod: must be"],
    [
      "an attribute that is too long",
      { ...ok, attributes: { pod: long(1025) } },
      "attributes.pod: must have at most 1024 characters",
    ],
    [
      "an attribute named __proto__",
      '{"host":"n","ipv4":1,"attributes":{"__proto__":"x"}}',
      "attributes.__proto__: is a name",
    ],
    [
      "an attribute named constructor",
      { ...ok, attributes: { pod: "web-0", constructor: "x" } },
      "attributes.constructor: is a name that no attribute may have",
    ],
    [
      "too many attributes",
      { ...ok, attributes: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, "x"])) },
      "attributes: must have at most 50 entries",
    ],
    ["an unknown use", { ...ok, use: "Pods" }, "use: must be one of Workload, Tunnel"],
    ["pools that are no array", { ...ok, pools: "p" }, "pools: must be an array"],
    ["a pool that is no name", { ...ok, pools: ["p", "P!"] }, "pools[1]: must be a DNS name"],
    ["a pool's CIDR with host bits", { ...ok, pools: ["10.0.0.1/8"] }, "pools[0]: has bits set"],
    ["a pool twice", { ...ok, pools: ["::/64", "0::/64"] }, "pools: must name each pool once"],
    [
      "pools in one list and by family",
      { ...ok, pools: ["p"], ipv6Pools: ["q"] },
      "pools: excludes ipv4Pools and ipv6Pools",
    ],
    ["a malformed pattern", { ...ok, defaultPools: ["web-["] }, "defaultPools[0]: "],
    ["a class in reverse", { ...ok, ipv6Pools: ["web-[c-a]"] }, "ipv6Pools[0]: "],
    ["an empty pool", { ...ok, pools: [""] }, "pools[0]: must be a DNS name"],
    ["an IPv4 pool twice", { ...ok, ipv4Pools: ["p", "p"] }, "ipv4Pools: must name each pool once"],
    [
      "too many pools",
      { ...ok, ipv4Pools: Array.from({ length: 257 }, (_, i) => `p-${i}`) },
      "ipv4Pools: must name at most 256 pools",
    ],
    [
      "what a host reserves for both families and for one",
      { ...ok, hostReserved: { start: 3, ipv4: { start: 3 } } },
      "hostReserved.ipv4: excludes start, end, handle and note beside it",
    ],
    [
      "what a host reserves for both families, and nothing for one",
      { ...ok, hostReserved: { start: 2, ipv4: { start: 0, end: 0 } } },
      "hostReserved.ipv4: excludes start, end, handle and note beside it",
    ],
    [
      "what a host reserves in the blocks of a family, beyond all",
      { ...ok, hostReserved: { ipv6: { end: 4096 } } },
      "hostReserved.ipv6.end: must be a whole number from 0 to 4095",
    ],
    [
      "labels that are none of Kubernetes",
      { ...ok, hostLabels: { zone: "a b" } },
      "hostLabels.zone: must be empty, or at most 63 letters",
    ],
    ["an interface twice", { host: "n", interfaces: [ETH0, ETH0] }, "interfaces: "],
    ["no interface", { host: "n", interfaces: [] }, "interfaces: "],
    [
      "17 interfaces",
      { host: "n", interfaces: Array.from({ length: 17 }, (_, n) => ({ ...ETH0, name: `n${n}` })) },
      "interfaces: ",
    ],
    ["an interface without a name", withInterface({ ipv4: 1 }), "interfaces[0].name: "],
    ["an interface without addresses", withInterface({ name: "eth0" }), "interfaces[0].ipv4: "],
    ["an interface of no name", withInterface({ name: "eth 0", ipv4: 1 }), "interfaces[0].name: "],
    ["an interface with an MTU", withInterface({ ...ETH0, mtu: 9000 }), "interfaces[0].mtu: "],
    ...Object.entries({
      ...{ ipv4: 1, pools: ["p"], defaultPools: ["p"], ipv6Pools: ["p"], network: "vlan-7" },
      ...{ ipv4DefaultPools: ["p"], address: A, allowPartial: true, limitPerHandle: 3 },
    }).map(([field, value]): [string, unknown, string] => [
      `${field} beside interfaces`,
      { ...withInterface(ETH0), [field]: value },
      `${field}: `,
    ]),
    ["an unknown field", { ...ok, hostname: "n" }, "hostname: is not a field here; known are"],
    ["a field named constructor", { ...ok, constructor: 1 }, "constructor: is not a field here"],
    [
      "a field named __proto__",
      '{"host":"n","ipv4":1,"__proto__":{}}',
      "__proto__: is not a field",
    ],
  ])("%s", (_, body, rejection) => {
    const refused = rejectedFields(() => read(body));
    expect(refused).toEqual([expect.stringContaining(rejection)]);
  });

  it.each<[string, unknown, string]>([
    ["an array as body", [], "body: must be an object"],
    ["null as body", "null", "body: must be an object"],
    ["a broken body", '{"host": n}', "body: is not JSON: Unexpected"],
    [
      "a number of addresses that is there twice",
      '{"host":"n","ipv4":1,"ipv4":5}',
      "ipv4: is there more than once",
    ],
    [
      "an attribute that is there twice",
      '{"host":"n","ipv4":1,"attributes":{"pod":"a","p\\u006fd":"b"}}',
      "attributes.pod: is there more than once",
    ],
    ["an empty body", "", "body: is empty"],
    ["a body that is no UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "body: is not UTF-8"],
    [
      "a host 100,000 arrays deep",
      `{"ipv4":1,"host":${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
      "host",
    ],
  ])("%s", (_, body, rejection) => {
    expect(rejectedFields(() => read(body))).toEqual([expect.stringContaining(rejection)]);
  });

  it("several things wrong, each of them by name and with what was sent", () => {
    const body = { host: "n 1", ipv4: -1, attributes: { a: 1, b: long(2000) }, foo: {}, bar: 1 };
    const { fields } = problemIn(() => read(body));
    expect(fields.map(({ field, value }) => [field, value])).toEqual([
      ["host", "n 1"],
      ["ipv4", -1],
      ["attributes.a", 1],
      ["attributes.b", `${long(80)}…`],
      ["foo", "an object of "],
      ["bar", 1],
    ]);
  });
});

describe("the body of a request", () => {
  it("may have a megabyte and no more", () => {
    const body = `{"host":"n","ipv4":1}`.padEnd(1_000_000);
    expect(accepted(body).wanted).toEqual([{ family: 4, count: 1 }]);
    expect(problemIn(() => read(`${body} `)).code).toBe("payload_too_large");
  });

  it("is JSON and says so", () => {
    const type = (type: string) =>
      read({ host: "n", ipv4: 1 }, { headers: { "content-type": type } });
    expect(() => type("application/json; charset=utf-8")).not.toThrow();
    expect(() => type("application/vnd.api+json")).not.toThrow();
    expect(problemIn(() => type("text/plain")).code).toBe("unsupported_media_type");
    expect(problemIn(() => type("application/yaml")).code).toBe("unsupported_media_type");
    expect(problemIn(() => type("")).code).toBe("unsupported_media_type");
  });

  it.each([
    ["/v1/assign", (event: Event) => parseAssign(event, () => "fresh-handle")],
    ["/v1/pools/main", parsePoolPut],
  ])("to %s is rejected where its type is not said, unless there is none", (path, readIt) => {
    const untyped = (body: unknown) => ({ ...eventOf("PUT", path, { body }), headers: {} });
    const problem = orProblem(() => readIt(untyped({ host: "n", ipv4: 1 })));
    expect(problem).toEqual(
      new Problem("unsupported_media_type", "The body has no Content-Type; send application/json."),
    );
    expect(rejectedFields(() => readIt(untyped("")))).toEqual([
      expect.stringContaining("body: is empty"),
    ]);
  });
});

describe("the query of a request", () => {
  it("has parameters that are known, and any other is rejected", () => {
    const refused = rejectedFields(() =>
      read({ host: "n", ipv4: 1 }, { query: { dryrun: "true" } }),
    );
    expect(refused).toEqual(["?dryrun: is not a parameter here; known is dryRun"]);
  });
});

describe("a dry run", () => {
  const body = { host: "n", ipv4: 1 };

  it("is asked for in the body or in the query, and by nothing else", () => {
    const isDry = (more: object, query?: Record<string, string>) =>
      (read({ ...body, ...more }, query && { query }) as { dryRun: boolean }).dryRun;
    expect(isDry({ dryRun: true })).toBe(true);
    expect(isDry({}, { dryRun: "true" })).toBe(true);
    expect(isDry({ dryRun: false }, { dryRun: "true" })).toBe(true);
    expect(isDry({})).toBe(false);
    expect(isDry({ dryRun: false }, { dryRun: "false" })).toBe(false);
  });

  it("is asked for with true or false", () => {
    expect(rejectedFields(() => read({ ...body, dryRun: "yes" }))).toEqual([
      "dryRun: must be true or false",
    ]);
    expect(rejectedFields(() => read(body, { query: { dryRun: "1" } }))).toEqual([
      "?dryRun: must be true or false",
    ]);
  });

  it("is the same request as the one it asks about", () => {
    expect(accepted({ ...body, dryRun: true }).digest).toBe(accepted(body).digest);
  });
});

describe("a request with neither a handle nor an Idempotency-Key", () => {
  const body = { host: "n", ipv4: 1 };

  it("is rejected: once its answer is lost, nobody could find what it holds", () => {
    expect(rejectedFields(() => readAsIs(body))).toEqual([
      "Idempotency-Key: is missing, and so is handle: one of them is required. A key is a text that is new for each request and the same for its repeats",
      "handle: is missing, and so is Idempotency-Key: one of them is required. A handle is a name under which the addresses are found and released",
    ]);
  });

  it("is read where it is a dry run, which holds nothing", () => {
    expect(readAsIs({ ...body, dryRun: true })).toMatchObject({ handle: "fresh-handle" });
    expect(readAsIs(body, { query: { dryRun: "true" } })).toMatchObject({ dryRun: true });
  });
});

describe("an Idempotency-Key", () => {
  const keyed = (body: object, key = "k-1") =>
    accepted({ host: "n", ipv4: 1, ...body }, { headers: { "idempotency-key": key } });

  it("gives a request without handle a handle of its own", () => {
    expect(keyed({}).handle).toMatch(/^key-[0-9a-f]{32}$/);
    expect(keyed({}).handle).toBe(keyed({}).handle);
    expect(keyed({}, "k-2").handle).not.toBe(keyed({}).handle);
  });

  it.each(["k-1,k-2", "k-1, k-2", "k-1,k-1", '"k-1", "k-2"', 'k-1, "k-2"', '"k-1",k-2'])(
    "is one: the value of two headers, %s, is rejected",
    (value) => {
      const headers = { "idempotency-key": value };
      expect(rejectedFields(() => read({ host: "n", ipv4: 1 }, { headers }))).toEqual([
        expect.stringMatching(/^Idempotency-Key: must be one key of printable ASCII characters/),
      ]);
    },
  );

  it("has commas in quotes", () => {
    expect(keyed({}, '"k-1, k-2"').handle).toMatch(/^key-[0-9a-f]{32}$/);
  });

  it("is scoped by the handle", () => {
    expect(keyed({ handle: "a" }).keyId).toMatch(/^[\w-]{22}$/);
    expect(keyed({ handle: "a" }).keyId).not.toBe(keyed({ handle: "b" }).keyId);
  });

  it("recognises a request however it is written", () => {
    const once = keyed({ attributes: { a: "1", b: "2" }, pools: ["::/64"] });
    const again = keyed({ ipv6: 0, attributes: { b: "2", a: "1" }, pools: ["0:0::/64"] });
    expect(again.digest).toBe(once.digest);
  });

  it("recognises a request whose labels have changed, as it would those that are registered", () => {
    const once = keyed({ hostLabels: { zone: "a" }, namespaceLabels: { team: "web" } });
    expect(once).toMatchObject({ hostLabels: { zone: "a" }, namespaceLabels: { team: "web" } });
    expect(keyed({ hostLabels: { zone: "b" } }).digest).toBe(once.digest);
    expect(keyed({}).digest).toBe(once.digest);
  });

  it("tells apart requests that want different things", () => {
    const bodies = [
      {},
      { ipv4: 2 },
      { ipv6: 1 },
      { ipv4: 0, ipv6: 1 },
      { ipv4: 0, address: "10.0.0.1" },
      { ipv4: 0, addresses: ["10.0.0.1", "fd00::1"] },
      { ipv4: 0, addresses: ["10.0.0.1", "fd00::2"] },
      { ipv4: 0, addresses: ["10.0.0.2", "fd00::1"] },
      { attributes: { a: "1" } },
      { use: "Workload" },
      { pools: ["main"] },
      { allowPartial: true },
      { maxBlocksPerHost: 1 },
      { affinityType: "virtual" },
      { ipv4Pools: ["main"] },
      { ipv6Pools: ["main"] },
      { ipv4Pools: ["main"], ipv6Pools: ["main"] },
      { defaultPools: ["main"] },
      { ipv4DefaultPools: ["main"] },
      { hostReserved: { start: 1 } },
      { hostReserved: { ipv4: { start: 1 } } },
      { hostReserved: { ipv6: { start: 1 } } },
    ];
    const digests = bodies.map((body) => keyed({ handle: "h", ...body }).digest);
    expect(new Set(digests).size).toBe(bodies.length);
  });

  it("recognises the requests that tables hold: the digest of each form is as it always was", () => {
    const bodies = {
      plain: { ipv4: 1 },
      specific: { address: "2001:db8::7", use: "Tunnel", affinityType: "virtual" },
      full: {
        ...{ ipv4: 2, ipv6: 1, ipv4Pools: ["a"], ipv6Pools: ["b"], allowPartial: true },
        ...{ maxBlocksPerHost: 3, leaseSeconds: 60, limitPerHandle: 4, namespace: "shop" },
        ...{ attributes: { b: "2", a: "1" }, hostReserved: { ipv4: { start: 1, end: 2 } } },
      },
      interfaces: {
        interfaces: [
          { name: "net1", ipv6: 1, pools: ["b"] },
          { name: "eth0", ipv4: 2, pools: ["a"] },
        ],
      },
      workload: {
        ...{ ipv4: 1, namespace: "shop" },
        workload: { kind: "Pod", name: "web", instance: "web-1", uid: "u-1" },
      },
    };
    const digests = Object.entries(bodies).map(([name, body]) => {
      const asked = { host: "n", ...(name !== "workload" && { handle: "h" }), ...body };
      return [name, (name === "workload" ? readAsIs(asked) : accepted(asked)).digest];
    });
    expect(Object.fromEntries(digests)).toEqual({
      plain: "8Tp42Bh7go2YB4OC4fFj_R",
      specific: "18TOFJYE1EwpdFxQ5bRqiS",
      full: "c5XeH0VDEQCKJXen_jcWCK",
      interfaces: "tEvwuQNbqVVZ9FeMNoiCA0",
      workload: "F3wkfj7zkcj1WkLBRkPnpU",
    });
  });

  it.each([
    ["k-1", '"k-1"'],
    ['a"b', '"a\\"b"'],
    ["a\\b", '"a\\\\b"'],
    ["x".repeat(255), `"${"x".repeat(255)}"`],
  ])("is one key, bare as %s and quoted as %s", (bare, quoted) => {
    expect(keyed({ handle: "a" }, quoted).keyId).toBe(keyed({ handle: "a" }, bare).keyId);
    expect(keyed({}, quoted).handle).toBe(keyed({}, bare).handle);
  });

  it.each([
    "",
    '""',
    "x".repeat(256),
    `"${"x".repeat(256)}"`,
    "a\tb",
    '"a',
    '"a\\b"',
    '"a" "b"',
    '"a";p=1',
  ])("is rejected where it is malformed, or too long: %s", (key) => {
    const request = { headers: { "idempotency-key": key } };
    expect(rejectedFields(() => read({ host: "n", ipv4: 1 }, request))).toEqual([
      expect.stringMatching(
        /^Idempotency-Key: must (be one key of printable ASCII|have 1 to 255) characters/,
      ),
    ]);
  });
});

describe("a request for an instance of a workload", () => {
  const db = { kind: "StatefulSet", name: "db", instance: "db-0", uid: "a" };
  const body = { host: "n", ipv4: 1, namespace: "shop", workload: db };

  it("has a handle and a key of its own, the same for each uid and host", () => {
    const [first, second] = [body, { ...body, host: "m", workload: { ...db, uid: "b" } }].map(
      (one) => readAsIs(one) as AssignRequest,
    );
    expect(first).toMatchObject({
      handle: "workload/shop/StatefulSet/db/db-0",
      workload: { namespace: "shop", ...db },
    });
    expect(second).toMatchObject({
      handle: first?.handle,
      keyId: first?.keyId,
      digest: first?.digest,
    });
  });

  it.each<[string, object, string]>([
    ["a handle", { handle: "h" }, "handle: is excluded by workload"],
    ["a limit", { limitPerHandle: 1 }, "limitPerHandle: is excluded by workload"],
    ["leave for less", { allowPartial: true }, "allowPartial: is excluded by workload"],
    ["a lease", { leaseSeconds: 60 }, "leaseSeconds: is excluded by workload"],
    ["no namespace", { namespace: undefined }, "namespace: is required beside workload"],
    ["no name", { workload: { kind: "Pod", uid: "a" } }, "workload.name: is required"],
    ["a slash in a part", { workload: { ...db, kind: "a/b" } }, "workload.kind: must be 1 to 253"],
  ])("is rejected with %s", (_, more, problem) => {
    expect(rejectedFields(() => readAsIs({ ...body, ...more }))).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  it("is rejected with an Idempotency-Key", () => {
    expect(rejectedFields(() => read(body))).toEqual([
      expect.stringContaining("Idempotency-Key: is excluded by workload"),
    ]);
  });

  it("alone may have the handle of an instance", () => {
    const handle = "workload/shop/StatefulSet/db/db-0";
    expect(rejectedFields(() => readAsIs({ host: "n", ipv4: 1, handle }))).toEqual([
      expect.stringContaining("handle: names an instance of a workload"),
    ]);
  });
});
