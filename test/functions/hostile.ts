import fc from "fast-check";
import { sealCursor } from "../../src/api/http/cursor.ts";
import type { Event } from "../../src/api/http/event.ts";
import type { Route } from "../../src/contract/routes.ts";
import { eventOf } from "../api/event.ts";

/** Requests of hostile callers and of broken programs. About half of the parts of each request are valid. */

/** Texts that have crashed other programs. */
const TEXTS: readonly string[] = [
  "",
  " ",
  ".",
  "..",
  "../../etc/passwd",
  "a/b",
  "a%2Fb",
  "%",
  "%00",
  "%zz",
  "\u0000",
  "a\r\nSet-Cookie: x=1",
  "a\nb",
  "#",
  "a#b",
  "%23",
  "%25",
  "SPACE#default",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "-0",
  "1e308",
  "9007199254740993",
  "\ud800",
  "\udfff\ud800",
  "a\ud83d",
  "\u202egnp.exe",
  "\ufeffa",
  "\u2028",
  "\uff0f",
  "ｌocalhost",
  "nоde-1",
  "İ",
  "x".repeat(254),
  "é".repeat(253),
  "10.0.0.1/24",
  "10.0.0.0/33",
  "010.0.0.1",
  "0x0a000001",
  "167772161",
  "::ffff:10.0.0.1",
  "fe80::1%eth0",
  "10.0.0.1-10.0.0.0",
  "0.0.0.0/0",
  "::/0",
  "g1.a.b.c.d.e.f",
  "g1..........",
  "*",
  'W/"a"',
  '"a","b"',
];

/** Wrong parts of a JSON body. They are text, because some are not JavaScript values. */
const JSONS: readonly string[] = [
  "null",
  "true",
  "0",
  "-0",
  "-1",
  "0.1",
  "1e308",
  "1e999",
  "-1e999",
  "9007199254740993",
  `1${"0".repeat(400)}`,
  "[]",
  "{}",
  "[[]]",
  "[null]",
  '{"__proto__":{"host":"n"}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"toString":1,"valueOf":2}',
  '{"length":-1}',
  '{"a":1,"a":2}',
  `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
  `[${"0,".repeat(10_000)}0]`,
  `[${'"10.0.0.0/24",'.repeat(5_000)}""]`,
  JSON.stringify("x".repeat(100_000)),
];

const anyText = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "binary", maxLength: 20 }));

const anyJson = fc.oneof(
  fc.constantFrom(...JSONS),
  anyText.map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
);

/** Valid values for each field, parameter and part of a path that any route knows. */
const RIGHT: Readonly<Record<string, readonly unknown[]>> = {
  space: ["default", "blue"],
  host: ["node-1"],
  families: [[4], [6, 4]],
  mustBeEmpty: ["true"],
  affinityType: ["host", "virtual"],
  ipv4: [1, 2],
  ipv6: [1],
  address: ["10.0.0.7", "2001:db8::7"],
  handle: ["held", "other"],
  attributes: [{ pod: "web-0" }],
  use: ["Workload"],
  namespace: ["shop"],
  node: ["node-1", "node-2"],
  labels: [{ zone: "west" }, { constructor: "x", "example.org/a": "" }],
  nodeSelector: ["all()", 'zone == "west" || !has(gpu)'],
  namespaceSelector: ["", "has(team)"],
  podSelector: ["app == 'web'", { matchLabels: { app: "web" } }],
  nodeNames: [["node-1"]],
  namespaceNames: [["shop", "bank"]],
  networks: [["ovs", "kube-system/macvlan-100"]],
  principals: [["arn:aws:iam::123456789012:role/ci", "token:ci"]],
  network: ["ovs"],
  defaultPools: [["main"], ["m*", "10.0.0.0/24", "[a-z]?in"]],
  ipv4DefaultPools: [["main"]],
  ipv6DefaultPools: [["m*", "2001:db8::/64"]],
  pools: [["main"]],
  ipv4Pools: [["main"]],
  ipv6Pools: [["10.0.0.0/24", "main"]],
  hostLabels: [{ zone: "west" }],
  namespaceLabels: [{ team: "web" }],
  limitPerHandle: [1],
  leaseSeconds: [60],
  hostReserved: [
    { start: 3, end: 1, handle: "windows-reserved-ipam-handle" },
    { start: 16 },
    { ipv4: { end: 1 }, ipv6: {} },
  ],
  owner: [{ active: { namespace: "shop", pod: "web-0" } }, { active: null }, {}],
  expectedOwner: [{ active: { namespace: "shop", name: "web-0" } }, { alternate: null }],
  maxBlocksPerHost: [2],
  dryRun: [true],
  addresses: [[{ address: "10.0.0.7", handle: "held" }], [{ address: "10.0.0.7" }]],
  generation: ["g1.KxkqIJQYzwcxNzE.4a005d3a.28.666fc12e095c206c.kxkqIJQPRpEs7foEHkjPOac.1"],
  cidr: ["10.9.0.0/24", "10.0.0.0/28"],
  blockSize: [28],
  family: [4],
  prefixLength: [24],
  allowedUses: [["Workload"]],
  cidrs: [["10.0.0.0/30"]],
  reason: ["because"],
  name: ["main", "r", "other"],
  apiVersion: ["projectcalico.org/v3"],
  kind: ["IPPool", "List", "Node", "Namespace"],
  metadata: [{ name: "main" }, { name: "node-1", labels: { zone: "west" } }],
  spec: [{ cidr: "10.9.0.0/24" }],
  items: [
    [],
    [
      { apiVersion: "projectcalico.org/v3", kind: "IPPool", metadata: { name: "main" } },
      { kind: "\ud800", metadata: { name: "\udfff" } },
    ],
  ],
  ip: ["10.0.0.7"],
  since: ["2026-11-24T12:00:00Z", "0000-01-01T00:00:00Z", "2026-02-31T00:00:00Z"],
  type: ["AddressAssigned"],
  id: ["delete-AZ3qXw8"],
  limit: ["10"],
  pool: ["main"],
  cursor: [
    sealCursor(["block", "default", "10.0.0.0/28"], { after: "255.255.255.255" }),
    sealCursor(["block", "default", "10.0.0.0/28"], { after: "::1" }),
    sealCursor(["blocks", "default", null, null], { after: "::" }),
    sealCursor(["blocks", "default", "main", null], { place: "gone", after: "10.0.0.0" }),
    sealCursor(["spaces"], { after: "a" }),
    sealCursor(["handles", "default", ""], { place: "main", after: "10.0.0.0", name: "\u0000" }),
    sealCursor(["hosts", "default"], { place: "gone", after: "::", name: "__proto__" }),
    sealCursor(["map", "default", "main", null, "groups"], { after: "::", last: "10.0.0.0" }),
    sealCursor(["nodes", "default"], { after: "~" }),
    sealCursor(["nodes", "default"], { after: "#%" }),
    sealCursor(["namespaces", "default"], { after: "a" }),
    sealCursor(["affinities", "default", "host:node-1"], { after: "255.255.255.255" }),
    sealCursor(["affinities to release", "default", "host:node-1", false], { after: "::" }),
    sealCursor(["affinities to release", "default", "host:node-1", false, "10.9.0.0/24"], {
      after: "::",
    }),
    sealCursor(["affinities of a space", "default", null], { place: "gone", after: "::" }),
    sealCursor(["affinities to claim", "default", "host:node-1", "10.0.0.0/28"], { after: "::" }),
    sealCursor(["addresses", "default", null, null, null, null, [], null, null], {
      place: "gone",
      after: "::",
    }),
    sealCursor(["addresses", "default", null, null, "held", null, [], null, null], {
      id: "_",
      keyed: true,
      after: "::",
    }),
    sealCursor(["handle", "default", "held"], { id: "_", keyed: true, after: "::" }),
    sealCursor(["utilization", "default", "main"], {
      poolId: "__proto__",
      after: "::",
      sum: {
        inUse: "9".repeat(39),
        hostReserved: "0",
        reserved: "0",
        cooling: "0",
        available: "0",
      },
      reservedInBlocks: "9".repeat(39),
    }),
    sealCursor(["utilizations", "default"], { pool: "main", within: { poolId: "__proto__" } }),
    sealCursor(["utilizations", "default"], { orphansAfter: '{"pk":"HANDLE#","sk":"\\u0000"}' }),
    sealCursor(["contents", "default"], { part: "jobs", after: "\u0000" }),
    sealCursor(["contents", "default"], { part: "nodes", after: "\ud800" }),
    sealCursor(["contents", "default"], { part: "configuration", told: 1e9 }),
    sealCursor(["contents", "default"], { place: "", from: "::", told: 1 }),
    sealCursor(["contents", "default"], { place: "main", from: "::" }),
    sealCursor(["contents", "default"], { place: "main", from: "255.255.255.255" }),
    "A".repeat(120),
    sealCursor(["address history", "default", "10.0.0.7"], { after: "0" }),
    sealCursor(["handle history", "default", "held"], {
      after: `${"0".repeat(15)}#${"9".repeat(40)}#10.0.0.7#AddressAssigned`,
    }),
    sealCursor(["events", "default"], { after: "9".repeat(15) }),
    sealCursor(["events", "default"], {
      after: `${Date.now()}`.padStart(15, "0"),
      part: { sk: "0".repeat(15), events: 1e9 },
    }),
    Buffer.from(`{"of":${"[".repeat(5_000)}${"]".repeat(5_000)}}`).toString("base64url"),
  ],
};

const orElse = (names: readonly string[], name: string) => (names.length > 0 ? names : [name]);

const rightOf = (name: string) => fc.constantFrom(...(RIGHT[name] ?? ["x"]));

/**
 * Generates a JSON object: the body of a valid request to the route, with other valid entries, and
 * often with wrong ones. It is text, so that a key can be any string and occur twice.
 */
function anyObject({ body = [] }: Route, sent: readonly Event[]): fc.Arbitrary<string> {
  const known = body.flatMap((schema) =>
    Object.keys(("entries" in schema && schema.entries) || {}),
  );
  const bodies = sent.map((event): object => JSON.parse(event.body ?? "{}"));
  const right = (name: string) => rightOf(name).map((value) => [name, value] as const);
  const wrong = fc.tuple(fc.oneof(fc.constantFrom("host", "space", ...known), anyText), anyJson);
  return fc
    .tuple(
      fc.constantFrom(...(bodies.length > 0 ? bodies : [{}])),
      fc.array(fc.constantFrom(...orElse(known, "host")).chain(right), { maxLength: 3 }),
      fc.oneof(fc.constant([]), fc.array(wrong, { minLength: 1, maxLength: 2 })),
    )
    .map(([valid, more, others]) => {
      const entries = Object.entries({ ...valid, ...Object.fromEntries(more) });
      return [...entries.map(([key, value]) => [key, JSON.stringify(value)] as const), ...others];
    })
    .map((entries) => entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`))
    .map((entries) => `{${entries.join(",")}}`);
}

/** Lines of a body of NDJSON, some of which are no request. */
const anyLines = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "",
        "{",
        "null",
        "[]",
        "\ufeff",
        '{"__proto__": 1}',
        '{"assign": {"host": 1}}',
      ),
      fc.json(),
    ),
    { maxLength: 4 },
  )
  .map((lines) => lines.join("\r\n"));

const anyYaml = fc.constantFrom(
  "cidr: 10.9.0.0/24",
  "cidr: !!binary MTAuOS4wLjAvMjQ=",
  "cidr: !unknown 10.9.0.0/24",
  "cidr: 10.9.0.0/24\nblockSize: .nan",
  "cidr: 10.9.0.0/24\nblockSize: 9007199254740993",
  "__proto__: {cidr: 10.9.0.0/24}",
  "a: &a {cidr: 10.9.0.0/24}\n<<: *a",
  "? [a, b]\n: 1",
  "--- 1\n--- 2",
  "kind: List\nitems: [{kind: IPPool, metadata: {name: main}}, {kind: IPPool}]",
  "kind: Node\n---\nkind: Namespace\n---\nkind: [a]\n---\n",
  "labels: {a: b, <<: {c: d}}",
  "%YAML 1.1\n---\ncidr: 2001-01-01\nx: !!set {a, b}",
  "&a [*a]",
  `${"- ".repeat(5_000)}`,
  `${"{a: ".repeat(3_000)}${"}".repeat(3_000)}`,
  `{${Array.from({ length: 800 }, (_, i) => `k${i}`).join(",")}}`,
);

const anyBody = (route: Route, sent: readonly Event[]) =>
  fc.oneof(
    { weight: 20, arbitrary: anyObject(route, sent) },
    { weight: 1, arbitrary: anyJson },
    { weight: 1, arbitrary: anyText },
    { weight: 1, arbitrary: anyObject(route, sent).map((text) => `\ufeff${text}`) },
  );

/** Generates a value one time in `times`, and `undefined` otherwise. */
const oneIn = <T>(times: number, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const anyHeaders = fc.record({
  "content-type": oneIn(
    10,
    fc.oneof(
      fc.constantFrom("application/json; charset=utf-16", "application/yaml", "text/plain"),
      anyText,
    ),
  ),
  "content-encoding": oneIn(20, fc.constantFrom("gzip", "identity", "br, gzip")),
  "if-match": oneIn(3, fc.oneof(fc.constant('"AaH9bgInfBgZ-A0"'), anyText)),
  "idempotency-key": oneIn(3, fc.oneof(fc.constantFrom("key-1", "key-2"), anyText)),
});

const without = (
  allocation: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(allocation).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/**
 * Generates a request to a route, as the event that API Gateway passes on.
 *
 * @param sent valid requests to the route
 */
export function anyEvent(route: Route, sent: readonly Event[]): fc.Arbitrary<Event> {
  const parts = [...route.path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = ""]) => name);
  const known = Object.keys(route.query ?? {});
  const anyPart = (name: string) =>
    fc.oneof(
      { weight: 3, arbitrary: rightOf(name).map(String) },
      { weight: 1, arbitrary: anyText },
    );
  return fc
    .record({
      path: fc.tuple(...parts.map(anyPart)),
      query: oneIn(
        2,
        fc.array(
          fc.oneof(
            {
              weight: 9,
              arbitrary: fc
                .constantFrom(...orElse(known, "limit"))
                .chain((name) => anyPart(name).map((value) => [name, value] as const)),
            },
            { weight: 1, arbitrary: fc.tuple(fc.oneof(anyText, fc.constant("space")), anyText) },
          ),
          { maxLength: 3 },
        ),
      ),
      headers: anyHeaders,
      yaml: route.yaml ? oneIn(8, anyYaml) : fc.constant(undefined),
      lines: route.ndjson ? oneIn(4, anyLines) : fc.constant(undefined),
      body: anyBody(route, sent),
      base64: fc.constantFrom("no", "no", "yes", "yes", "broken"),
    })
    .map(({ path, query, headers, yaml, lines, body: json, base64 }) => {
      const body = yaml ?? lines ?? json;
      return {
        ...eventOf(route.method, route.path),
        pathParameters: Object.fromEntries(parts.map((name, i) => [name, path[i]])),
        ...(query && asSent(query)),
        headers: {
          "content-type": "application/json",
          ...without(headers),
          ...(yaml && { "content-type": "application/yaml" }),
          ...(lines && { "content-type": "application/x-ndjson", accept: "application/x-ndjson" }),
        },
        body: base64 === "yes" ? Buffer.from(body).toString("base64") : body,
        isBase64Encoded: base64 !== "no",
      };
    });
}

/** Returns the query of an event: as it was sent, and with what is repeated joined. */
function asSent(query: readonly (readonly [string, string])[]) {
  const joined = new Map<string, string>();
  for (const [name, value] of query)
    joined.set(name, joined.has(name) ? `${joined.get(name)},${value}` : value);
  return {
    rawQueryString: new URLSearchParams(query as [string, string][]).toString(),
    queryStringParameters: Object.fromEntries(joined),
  };
}
