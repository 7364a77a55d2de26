import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { CALLER_ROLES, ROLE_OF } from "../../cdk/callers.ts";
import { SPACES_MAX } from "../../cdk/deployment.ts";
import { stageOfContext } from "../../cdk/stage.ts";
import { SPACE_DEFAULT, SPACE_PATH } from "../../src/api/route.ts";
import { SPACE_CHARACTERS_MAX } from "../../src/api/schema/field.ts";
import { EVERY_SPACE, isAllowed } from "../../src/contract/roles.ts";
import { ROUTES, type Route } from "../../src/contract/routes.ts";
import { decide, type Statement } from "../../twin/iam.ts";

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const MANAGED_POLICY_CHARACTERS_MAX = 6_144;

/**
 * Spaces with policies of their own. The spaces without them include one whose name begins like one of these, and texts
 * that are no names of spaces.
 */
const NAMED = ["tenant-7", SPACE_DEFAULT];
const SPACES = [
  ...NAMED,
  "tenant-77",
  "tenant",
  "TENANT-7",
  "tenant-7%2Fx",
  "x%2Ftenant-7",
  "%74enant-7",
  "tenant-7%00",
  "*",
  "?enant-7",
  "..",
];

/**
 * Names for a path: plain ones, names that are parts of other paths, and names with slashes that may be decoded before
 * IAM sees them.
 */
const NAMES = [
  "x",
  "assign",
  "release",
  "handles",
  "prefixes",
  "addresses",
  "affinities",
  "spaces",
  "a%2Fhandles%2Fb",
  "a%2Faddresses%2Fb",
  "a%2Fnamespaces%2Fb",
  "a%2Fapplications%2Fb%2Fc%2Fd",
  "a%2Fnodes%2Fb%2Fcilium",
  "a%2Fprefixes",
  "..%2Fspaces%2Ftenant-7%2Fassign",
  "v1%2Fspaces%2Ftenant-7%2Fhandles%2Fx",
  "v1%2Fspaces%2Ftenant-7%2Fassign",
];
/** Names for a part of a path whose slashes need not be encoded. */
const GREEDY_NAMES = [...NAMES, ...NAMES.map(decodeURIComponent)];

const template = templateWith("ap-southeast-2", NAMED);
const API = "arn:aws:execute-api:ap-southeast-2:123456789012:api";

/** The calls of each route: the space, and the path with each name. */
const CALLS = ROUTES.flatMap((route) =>
  (route.path.startsWith(SPACE_PATH) ? SPACES : [SPACE_DEFAULT]).map((space) => ({
    route,
    space,
    paths: (route.path.includes("+}") ? GREEDY_NAMES : NAMES)
      // A node has no slash in its name, so the functions reject this path.
      .filter((name) => !(name.endsWith("%2Fcilium") && route.path.endsWith("/nodes/{node}")))
      .map((name) => route.path.replace("{space}", space).replace(/\{\w+\+?\}/, name)),
  })),
);

describe.each(CALLER_ROLES)("%s", (role) => {
  const policy = statementsOf(role);
  const isAllowedIn = (granted: string, { route, space }: (typeof CALLS)[number]) =>
    isAllowed([{ role: ROLE_OF[role], space: granted }], `${route.method} ${route.path}`, space);

  it("may call in every space what its role allows, and nothing else", () => {
    // IAM cannot tell these calls in an arbitrary space from others: docs/deploy.md says so.
    const isWithheld = ({ route, space }: (typeof CALLS)[number]) =>
      role !== "PlatOperator" &&
      ["PUT", "DELETE"].includes(route.method) &&
      space !== SPACE_DEFAULT &&
      !(route.id === "releaseHandleInSpace" && NAMED.includes(space));
    for (const call of CALLS)
      expectCalls(policy, call, isAllowedIn(EVERY_SPACE, call) && !isWithheld(call));
  });

  it.each(NAMED)(
    "limited to %s may call there what its role allows, and nothing elsewhere",
    (named) => {
      const limited = statementsOf(`${role}${named.replace("-", "")}`);
      for (const call of CALLS) expectCalls(limited, call, isAllowedIn(named, call));
    },
  );

  it.each(NAMED)(
    "limited to %s may call nothing by a space's name that begins percent-encoded",
    (named) => {
      const limited = statementsOf(`${role}${named.replace("-", "")}`);
      for (const { space, paths, ...call } of CALLS) {
        const encoded = `%${Buffer.from(space).toString("hex", 0, 1)}${space.slice(1)}`;
        const renamed = paths
          .filter((path) => path.startsWith(`/v1/spaces/${space}/`))
          .map((path) => path.replace(`/${space}/`, `/${encoded}/`));
        expectAsSent(limited, { ...call, paths: renamed }, false);
      }
    },
  );

  it("may call nothing but this API, and only invoke it", () => {
    const familyRequests = [
      { action: "execute-api:Invoke", resource: `${API}2/$default/GET/v1/pools` },
      { action: "execute-api:Invoke", resource: `${API}/another/GET/v1/pools` },
      { action: "execute-api:ManageConnections", resource: `${API}/$default/GET/v1/pools` },
      { action: "dynamodb:GetItem", resource: "arn:aws:dynamodb:ap-southeast-2:123456789012:*" },
    ];
    for (const familyRequest of familyRequests)
      expect(decide(policy, familyRequest)).toBe("not allowed");
  });
});

it("an operator finds every policy among the outputs of the stack", () => {
  const policies = Object.keys(template.findResources("AWS::IAM::ManagedPolicy"));
  expect(policies).toHaveLength(CALLER_ROLES.length * (1 + NAMED.length));
  const values = Object.values(template.findOutputs("*")).map(({ Value }) => Value.Ref);
  expect(values).toEqual(expect.arrayContaining(policies));
});

it("each policy is within what IAM takes, with as many spaces of the longest names as may be named", () => {
  const longest = Array.from({ length: SPACES_MAX }, (_, i) =>
    `${i}`.padEnd(SPACE_CHARACTERS_MAX, "x"),
  );
  // The longest names of a Region and of a partition.
  const many = templateWith("us-isof-south-1", longest);
  const policies = Object.values(many.findResources("AWS::IAM::ManagedPolicy"));
  expect(policies).toHaveLength(CALLER_ROLES.length * (1 + SPACES_MAX));
  for (const { Properties } of policies) {
    const document = filledIn(Properties.PolicyDocument, {
      partition: "aws-iso-f",
      api: "a1b2c3d4e5",
    });
    expect(JSON.stringify(document).length).toBeLessThanOrEqual(MANAGED_POLICY_CHARACTERS_MAX);
  }
});

function isRead({ method }: Route): boolean {
  return method === "GET";
}

/**
 * Checks the decision about each path of a call, both encoded and decoded, because IAM may see either. The name of another
 * space, or of none, would decode to another call.
 */
function expectCalls(
  policy: readonly Statement[],
  { route, space, paths }: (typeof CALLS)[number],
  allowed: boolean,
) {
  const decoded = space.includes("%") ? [] : paths.map(decodeURIComponent);
  const seen = new Set([...paths, ...decoded]);
  expectAsSent(policy, { route, paths: [...seen] }, allowed);
}

function expectAsSent(
  policy: readonly Statement[],
  { route, paths }: Pick<(typeof CALLS)[number], "route" | "paths">,
  allowed: boolean,
) {
  const methods = isRead(route) ? ["GET", "HEAD"] : [route.method];
  const wanted = allowed ? "allowed" : "not allowed";
  const wrong = paths.flatMap((path) =>
    methods
      .map((method) => ({ method, path, decision: decide(policy, invoke(method, path)) }))
      .filter(({ decision }) => decision !== wanted),
  );
  expect.soft(wrong, `${route.id} should be ${wanted}`).toEqual([]);
}

function invoke(method: string, path: string) {
  return { action: "execute-api:Invoke", resource: `${API}/$default/${method}${path}` };
}

/** Returns the statements of a policy, with references filled in. */
function statementsOf(policy: string): Statement[] {
  const found = Object.entries(template.findResources("AWS::IAM::ManagedPolicy")).find(
    ([id]) => id.replace(/[0-9A-F]{8}$/, "") === `Callers${policy}`,
  );
  if (!found) throw new Error(`there is no policy ${policy}`);
  const [, { Properties }] = found;
  return filledIn(Properties.PolicyDocument.Statement, { partition: "aws", api: "api" });
}

/** Returns a part of a template with its joins resolved, as after a deployment. */
function filledIn<Part>(
  document: Part,
  known: { readonly partition: string; readonly api: string },
) {
  const text = (part: string | { readonly Ref: string }) => {
    if (typeof part === "string") return part;
    return part.Ref === "AWS::Partition" ? known.partition : known.api;
  };
  const joined = JSON.stringify(document, (_, value) =>
    value && typeof value === "object" && "Fn::Join" in value
      ? value["Fn::Join"][1].map(text).join("")
      : value,
  );
  return JSON.parse(joined) as Part;
}

function templateWith(region: string, spaces: readonly string[]): Template {
  const context = {
    "aws:cdk:bundling-stacks": [],
    "plat:dev": { account: "123456789012", region, spaces },
  };
  return Template.fromStack(stageOfContext(new App({ context }), "dev").stateless);
}
