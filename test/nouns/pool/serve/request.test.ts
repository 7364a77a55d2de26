import { describe, expect, it } from "vitest";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { type PoolPut, parsePoolPut } from "../../../../src/nouns/pool/serve/request.ts";
import { eventOf, type Request } from "../../../api/event.ts";
import { problemIn, rejectedFields } from "../../../api/problem-of.ts";

const put = (body: unknown, request: Request = {}) =>
  parsePoolPut(eventOf("PUT", "/v1/pools/default-ipv4", { ...request, body }));
const spec = (body: unknown) => (put(body) as PoolPut).spec;

describe("a pool", () => {
  it("has Calico's defaults", () => {
    const { cidr, ...defaults } = spec({ cidr: "10.0.0.0/16" });
    expect(formatCidr(cidr)).toBe("10.0.0.0/16");
    expect(defaults).toEqual({
      blockSize: 26,
      disabled: false,
      assignmentMode: "Automatic",
      allowedUses: ["Workload", "Tunnel"],
      borrowing: "allowed",
    });
    expect(spec({ cidr: "2001:db8::/48" }).blockSize).toBe(122);
  });

  it("takes everything that is said of it", () => {
    const said = {
      cidr: "10.0.0.0/16",
      blockSize: 28,
      disabled: true,
      assignmentMode: "Manual",
      allowedUses: ["LoadBalancer"],
      cooldownSeconds: 0,
      borrowing: "forbidden",
      routing: { natOutgoing: true },
    };
    const { cidr: _, ...expected } = said;
    expect(spec({ ...said, nodeSelector: "all()", namespaceSelector: "" })).toMatchObject(expected);
  });

  it("is changed as it was seen", () => {
    const request = { headers: { "if-match": '"AaH9bgInfBgZ-A0"' } };
    expect(put({ cidr: "10.0.0.0/16" }, request)).toMatchObject({
      ifMatch: { match: ["AaH9bgInfBgZ-A0"] },
    });
  });

  it("must be named in the body as in the URL, if it is named there", () => {
    expect(put({ cidr: "10.0.0.0/16", name: "default-ipv4" })).toMatchObject({
      name: "default-ipv4",
    });
    const { code, fields } = problemIn(() => put({ cidr: "10.0.0.0/16", name: "other" }));
    expect(code).toBe("name_mismatch");
    expect(fields).toMatchObject([{ field: "name", value: "other" }]);
  });

  it.each(["Pool", "a_b", "-a", "a.", "x".repeat(254)])("is not named %s", (name) => {
    const event = eventOf("PUT", `/v1/pools/${name}`, { body: { cidr: "10.0.0.0/16" } });
    expect(rejectedFields(() => parsePoolPut(event))).toEqual([
      expect.stringMatching(/^name: must /),
    ]);
  });
});

describe("a pool is rejected by the name of its field when it has", () => {
  const ok = { cidr: "10.0.0.0/16" };

  it.each<[string, unknown, string]>([
    ["no CIDR", {}, "cidr: is required"],
    ["an address as CIDR", { cidr: "10.0.0.0" }, "cidr: is not a CIDR such as"],
    ["bits below the prefix", { cidr: "10.0.0.1/16" }, "cidr: has bits set below its prefix; the"],
    ["a prefix of 33", { cidr: "10.0.0.0/33" }, "cidr: has a prefix longer than the 32 bits"],
    ["a prefix of 300 digits", { cidr: `10.0.0.0/${"9".repeat(300)}` }, "cidr: is not a CIDR"],
    ["link-local addresses", { cidr: "169.254.0.0/24" }, "cidr: overlaps 169.254.0.0/16 (link"],
    ["everything", { cidr: "0.0.0.0/0" }, 'cidr: overlaps 0.0.0.0/8 ("this network", RFC 791'],
    ["mapped addresses", { cidr: "::ffff:10.0.0.0/112" }, "; write it as 10.0.0.0/16"],
    ["blocks that are too large", { ...ok, blockSize: 19 }, "blockSize: must be from 20 to 32"],
    ["blocks larger than itself", { cidr: "10.0.0.0/28", blockSize: 26 }, "from 28 to 32 for the"],
    ["IPv6 blocks in IPv4", { ...ok, blockSize: 122 }, "blockSize: must be from 20 to 32 for the"],
    [
      "IPv4 blocks in IPv6",
      { cidr: "2001:db8::/48", blockSize: 26 },
      "blockSize: must be from 116",
    ],
    ["a fraction as block size", { ...ok, blockSize: 26.5 }, "blockSize: must be a whole number"],
    ["a text as flag", { ...ok, disabled: "no" }, "disabled: must be true or false"],
    ["an unknown mode", { ...ok, assignmentMode: "auto" }, "assignmentMode: must be Automatic or"],
    ["a flag as borrowing", { ...ok, borrowing: false }, "borrowing: must be allowed or forbidden"],
    ["no use", { ...ok, allowedUses: [] }, "allowedUses: must name at least one of Workload"],
    ["a use twice", { ...ok, allowedUses: ["Tunnel", "Tunnel"] }, "allowedUses: must name each"],
    ["an unknown use", { ...ok, allowedUses: ["Tunnel", "x"] }, "allowedUses[1]: must be one of"],
    [
      "load balancers beside others",
      { ...ok, allowedUses: ["LoadBalancer", "Workload"] },
      "allowedUses: must name LoadBalancer alone or not at all",
    ],
    ["a selector that is none", { ...ok, nodeSelector: "zone = 'a'" }, "nodeSelector: "],
    ["a selector of pods that is none", { ...ok, podSelector: "app ==" }, "podSelector: "],
    ["no node", { ...ok, nodeNames: [] }, "nodeNames: "],
    ["a namespace twice", { ...ok, namespaceNames: ["shop", "shop"] }, "namespaceNames: "],
    ["a network that is no name", { ...ok, networks: ["A"] }, "networks[0]: "],
    [
      "a selector of more than 1,024 characters",
      { ...ok, nodeSelector: `zone == "${"a".repeat(1_024)}"` },
      "nodeSelector: has 1034 characters, more than the 1024",
    ],
    [
      "a selector that says global()",
      { ...ok, nodeSelector: "has(zone) || !global()" },
      "nodeSelector: must not contain global()",
    ],
    [
      "a namespace selector and the use Tunnel",
      { ...ok, namespaceSelector: "has(team)", allowedUses: ["Workload", "Tunnel"] },
      "namespaceSelector: must be absent for the use Tunnel",
    ],
    [
      "a namespace selector and the uses that it has unless it says otherwise",
      { ...ok, namespaceSelector: "has(team)" },
      "namespaceSelector: must be absent for the use Tunnel",
    ],
    [
      "a node selector and the use LoadBalancer",
      { ...ok, nodeSelector: "has(zone)", allowedUses: ["LoadBalancer"] },
      "nodeSelector: must be all() or absent for the use LoadBalancer",
    ],
    [
      "a negative cooldown",
      { ...ok, cooldownSeconds: -1 },
      "cooldownSeconds: must be a whole number",
    ],
    ["a cooldown of an hour", { ...ok, cooldownSeconds: 3600 }, "from 0 to 1200"],
    [
      "an unknown routing field",
      { ...ok, routing: { mtu: 1 } },
      "routing.mtu: is not a field here",
    ],
    [
      "two encapsulations",
      { ...ok, routing: { ipipMode: "Always", vxlanMode: "Always" } },
      "routing",
    ],
    ["an unknown field", { ...ok, nodeSelectors: "" }, "nodeSelectors: is not a field here"],
  ])("%s", (_, body, rejection) => {
    expect(rejectedFields(() => put(body))).toEqual([expect.stringContaining(rejection)]);
  });
});

describe("a pool of prefixes", () => {
  const prefixes = { cidr: "10.0.0.0/16", assign: "prefixes" };

  it.each([
    ["10.0.0.0/16", 24],
    ["10.0.0.0/26", 26],
    ["2001:db8::/32", 64],
    ["2001:db8::/72", 72],
  ])("%s has prefixes of /%i unless it says otherwise", (cidr, blockSize) => {
    expect(spec({ ...prefixes, cidr })).toMatchObject({
      assign: "prefixes",
      blockSize,
      cooldownSeconds: 300,
    });
  });

  it("takes the conditions on nodes, the mode Manual and a cooldown of its own", () => {
    const said = { assignmentMode: "Manual", nodeNames: ["a"], cooldownSeconds: 0, disabled: true };
    expect(spec({ ...prefixes, ...said, blockSize: 28 })).toMatchObject({ ...said, blockSize: 28 });
  });

  it.each<[object, string]>([
    [{ assign: "ranges" }, "assign: must be addresses or prefixes"],
    [{ blockSize: 15 }, "blockSize: must be from 16 to 32 for the pool 10.0.0.0/16"],
    [{ blockSize: 15, disabled: true }, "blockSize: must be from 16 to 32"],
    [{ blockSize: 7 }, "blockSize: must be a whole number from 8"],
    [{ cidr: "2001:db8::/32", blockSize: 31 }, "blockSize: must be from 32 to 128"],
    [{ cidr: "fc00::/7", blockSize: 15 }, "blockSize: must be from 16 to 128"],
    [{ borrowing: "allowed" }, "borrowing: must be absent beside assign prefixes"],
    [{ allowedUses: ["Workload"] }, "allowedUses: must be absent"],
    [{ namespaceSelector: "all()" }, "namespaceSelector: must be absent"],
    [{ ranges: ["10.0.0.1"] }, "ranges: must be absent"],
    [{ excludes: ["10.0.0.1"] }, "excludes: must be absent"],
    [{ gateway: "10.0.0.1" }, "gateway: must be absent"],
    [{ routes: [{ dst: "192.168.0.0/16", gw: "10.0.0.1" }] }, "routes: must be absent"],
    [{ namespaceNames: ["shop"] }, "namespaceNames: must be absent"],
    [{ networks: ["net"] }, "networks: must be absent"],
    [{ podSelector: "all()" }, "podSelector: must be absent"],
    [{ assignmentMode: "Applications" }, "assignmentMode: must be Automatic or Manual"],
  ])("is rejected with %j", (said, rejection) => {
    expect(rejectedFields(() => put({ ...prefixes, ...said }))).toEqual([
      expect.stringContaining(rejection),
    ]);
  });
});

describe("the selectors of a pool", () => {
  it("are kept as they were written", () => {
    const text = "zone  in {'b','a'}||!has( gpu )";
    const body = { cidr: "10.0.0.0/16", nodeSelector: text, namespaceSelector: " has(team)" };
    const { spec } = put({ ...body, allowedUses: ["Workload"] }) as PoolPut;
    expect(spec.nodeSelector?.text).toBe(text);
    expect(spec.namespaceSelector?.text).toBe(" has(team)");
  });

  it.each(["", " ", "all()"])("may be %j for a load balancer", (nodeSelector) => {
    const { spec } = put({
      cidr: "10.0.0.0/16",
      nodeSelector,
      allowedUses: ["LoadBalancer"],
    }) as PoolPut;
    expect(spec.nodeSelector?.text).toBe(nodeSelector);
  });

  it("may be a blank one of namespaces beside the use Tunnel", () => {
    expect((put({ cidr: "10.0.0.0/16", namespaceSelector: "" }) as PoolPut).spec).toBeDefined();
  });
});

it("a disabled pool may be smaller than a block of it", () => {
  const body = { cidr: "10.0.0.0/28", blockSize: 26, disabled: true };
  expect((put(body) as PoolPut).spec).toMatchObject({ blockSize: 26, disabled: true });
});

it.each([
  ["10.0.0.0/16", 26],
  ["10.0.0.0/26", 26],
  ["10.0.0.0/28", 28],
  ["10.0.0.7/32", 32],
  ["2001:db8::/48", 122],
  ["2001:db8::/124", 124],
  ["2001:db8::7/128", 128],
])("a pool %s has blocks of /%i unless it says otherwise", (cidr, blockSize) => {
  expect((put({ cidr }) as PoolPut).spec).toMatchObject({ blockSize });
});

it("a refused range is told with its value", () => {
  const { fields } = problemIn(() => put({ cidr: "127.0.0.0/16" }));
  expect(fields).toMatchObject([{ field: "cidr", value: "127.0.0.0/16" }]);
});

describe("the description and the tags of a pool", () => {
  const labelled = (body: object) => put({ cidr: "10.0.0.0/16", ...body });

  it("are as the request has them, and empty ones are none", () => {
    const said = { description: "rack 7: ask Ada", tags: ["lab", "Öst"] };
    expect((labelled(said) as PoolPut).spec).toMatchObject(said);
    const { spec } = labelled({ description: "", tags: [] }) as PoolPut;
    expect(Object.keys(spec)).not.toContain("description");
    expect(Object.keys(spec)).not.toContain("tags");
  });

  it.each([
    ["description", "x".repeat(1_025), "must have at most 1024 characters"],
    ["description", "\ud800", "must be Unicode text"],
    ["tags", Array.from({ length: 21 }, (_, n) => `t${n}`), "must have at most 20 tags"],
    ["tags", ["a", "a"], "must have each tag once"],
    ["tags[0]", ["a,b"], "must be 1 to 50 printable characters without a comma"],
  ])("are limited: %s %j", (field, value, problem) => {
    const [name = ""] = field.split("[");
    const { fields } = problemIn(() => labelled({ [name]: value }));
    expect(fields).toMatchObject([{ field, problem }]);
  });
});

it("a pool of a prefix that names ranges is told which", () => {
  const ranges = ["10.0.0.8-10.0.0.15"];
  const { fields } = problemIn(() => put({ cidr: "10.0.0.0/24", parent: "top", ranges }));
  expect(fields).toEqual([
    {
      field: "ranges",
      value: "an array of 1",
      problem: "must be absent beside parent; the pool has all of its prefix",
    },
  ]);
});
