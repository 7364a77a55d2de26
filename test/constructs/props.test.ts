import { App, type CfnElement, CfnParameter, type Environment, Fn, Stack } from "aws-cdk-lib";
import { expect, it } from "vitest";
import { PlatAddress, type PlatAddressProps } from "../../src/constructs/plat-address.ts";
import { PlatApi, type PlatApiProps } from "../../src/constructs/plat-api.ts";
import { PlatPool, type PlatPoolProps } from "../../src/constructs/plat-pool.ts";
import { PlatPrefix, type PlatPrefixProps } from "../../src/constructs/plat-prefix.ts";

/** Returns what makes each construct in a stack, with properties that may be wrong. */
function shop() {
  const stack = new Stack(new App(), "shop");
  const api = new PlatApi(stack, "Plat", { apiId: "abc123" });
  const lan = PlatPool.fromPoolName(api, "lan");
  return {
    stack,
    api: (props: object) => new PlatApi(stack, "Other", props as PlatApiProps),
    pool: (props: object) => new PlatPool(stack, "Lan", { api, ...props } as PlatPoolProps),
    named: (name: string) => PlatPool.fromPoolName(api, name),
    address: (props: object) =>
      new PlatAddress(stack, "Web", { pool: lan, ...props } as PlatAddressProps),
    prefix: (props: object) =>
      new PlatPrefix(stack, "Vpc", { pool: lan, ...props } as PlatPrefixProps),
  };
}

type Shop = ReturnType<typeof shop>;

it.each<[string, (of: Shop) => unknown, string]>([
  ["no id of an API", ({ api }) => api({}), "shop/Other: {} is wrong: apiId is required"],
  [
    "the URL of an API in place of its id",
    ({ api }) => api({ apiId: "https://abc123.execute-api.eu-central-1.amazonaws.com" }),
    'apiId must be the id of an HTTP API, such as "abc123"',
  ],
  ["a space", ({ api }) => api({ apiId: "abc123", space: "Blue" }), "space must be a DNS label"],
  [
    "an endpoint without https",
    ({ api }) => api({ apiId: "abc123", endpoint: "plat.example.com" }),
    'endpoint must be a URL, such as "https://plat.example.com"',
  ],
  [
    "an endpoint with a query",
    ({ api }) => api({ apiId: "abc123", endpoint: "https://plat.example.com?space=blue" }),
    "endpoint must be a URL",
  ],
  ["no API", ({ pool }) => pool({ api: undefined }), "shop/Lan: api must be a PlatApi"],
  ["a CIDR", ({ pool }) => pool({ cidr: "10.1.0.0/33" }), "shop/Lan: "],
  [
    "a field that no pool has",
    ({ pool }) => pool({ cidr: "10.1.0.0/24", gatway: "10.1.0.1" }),
    "gatway is not a field here; known are poolName, cidr",
  ],
  [
    "the name of a pool under a name of the API",
    ({ pool }) => pool({ cidr: "10.1.0.0/24", name: "lan" }),
    "name is not a field here",
  ],
  [
    "a pool whose fields contradict each other",
    ({ pool }) => pool({ cidr: "10.1.0.0/24", kind: "subnet", gateway: "10.2.0.1" }),
    "gateway ",
  ],
  [
    "a field beside one that only CloudFormation knows",
    ({ pool, stack }) => pool({ cidr: new CfnParameter(stack, "Range").valueAsString, mtu: 1 }),
    "mtu must be",
  ],
  [
    "a name",
    ({ pool }) => pool({ poolName: "Lan", cidr: "10.1.0.0/24" }),
    "poolName must be a DNS name in lower case",
  ],
  ["the name of a pool that there is", ({ named }) => named("Lan"), "poolName must be a DNS name"],
  [
    "a pool in place of its name",
    ({ pool, named }) => pool({ cidr: "10.1.0.0/24", parent: named("all") }),
    'shop/Lan: {"cidr":"10.1.0.0/24","parent":{"api":"a PlatApi","poolName":"all"}} is wrong: parent must be a string',
  ],
  [
    "a construct in place of its name",
    ({ pool, api }) => pool({ cidr: "10.1.0.0/24", domain: api({ apiId: "abc123" }) }),
    'shop/Lan: {"cidr":"10.1.0.0/24","domain":"a PlatApi"} is wrong: domain must be a string',
  ],
  ["no pool", ({ address }) => address({ pool: undefined }), "shop/Web: pool must be a PlatPool"],
  ["a pool by its name", ({ prefix }) => prefix({ pool: "lan" }), "shop/Vpc: pool must be a"],
  ["a family", ({ address }) => address({ family: 5 }), "family must be 4 or 6"],
  ["an address", ({ address }) => address({ address: "10.1.0.256" }), "shop/Web: "],
  ["a handle", ({ address }) => address({ handle: "a?b" }), "shop/Web: "],
  ["a prefix", ({ prefix }) => prefix({ cidr: "10.64.0.1/20" }), "shop/Vpc: "],
  ["the length of a handle", ({ prefix }) => prefix({ handle: "h".repeat(255) }), "handle must"],
])("synthesis names what is wrong: %s", (_, make, sentence) => {
  expect(() => make(shop())).toThrow(sentence);
});

it("synthesis takes what only CloudFormation knows", () => {
  const { stack, pool, address, prefix, api } = shop();
  const text = (id: string) => new CfnParameter(stack, id).valueAsString;
  const place = { endpoint: `https://${text("Name")}`, space: text("Space") };
  expect(api({ apiId: text("Api"), ...place })).toMatchObject(place);
  const lan = pool({
    cidr: prefix({ cidr: text("Cidr"), handle: text("Handle") }).cidr,
    dns: Fn.split(",", text("Dns")),
    labels: { team: text("Team") },
    mtu: new CfnParameter(stack, "Mtu", { type: "Number" }).valueAsNumber,
  });
  const web = address({ address: text("Ip"), host: text("Host") });
  expect([lan, web].map((one) => one.node.defaultChild?.node.path)).toEqual([
    expect.stringMatching(/^shop\/Lan\//),
    expect.stringMatching(/^shop\/Web\//),
  ]);
});

it("a resource keeps its logical id while its API is the same, whatever name and Region are known of that", () => {
  const idOf = (props: Partial<PlatApiProps>, env?: Environment) => {
    const stack = new Stack(new App(), "shop", env && { env });
    const api = new PlatApi(stack, "Plat", { apiId: "abc123", ...props });
    const pool = PlatPool.fromPoolName(api, "lan");
    const web = new PlatAddress(stack, "Web", { pool, handle: "web" });
    return stack.getLogicalId(web.node.defaultChild as CfnElement);
  };
  const env = { account: "123456789012", region: "eu-central-1" };
  const id = idOf({});
  expect([
    idOf({}, env),
    idOf({ region: "eu-central-1" }),
    idOf({ endpoint: "https://plat.example.com" }),
  ]).toEqual([id, id, id]);
  expect(new Set([id, idOf({ apiId: "def456" }), idOf({ space: "blue" })]).size).toBe(3);
});
