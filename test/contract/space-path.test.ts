import { describe, expect, it } from "vitest";
import {
  actsInSpace,
  inNamedSpace,
  leavesSpaceOut,
  pathIn,
  SPACE_PATH,
  withoutSpace,
} from "../../src/api/route.ts";

describe("the path of a route", () => {
  it("has a second form, which names the space, and the way back", () => {
    expect(inNamedSpace("/v1/assign")).toBe("/v1/spaces/{space}/assign");
    expect(inNamedSpace("GET /v1/blocks/{cidr+}")).toBe("GET /v1/spaces/{space}/blocks/{cidr+}");
    for (const route of ["/v1/assign", "GET /v1/handles/{handle+}", "$default", "GET /healthz"])
      expect(withoutSpace(inNamedSpace(route))).toBe(route);
  });

  it("leads into a space where it is one of /v1", () => {
    expect(actsInSpace("/v1/pools/{name}")).toBe(true);
    expect(actsInSpace("/healthz")).toBe(false);
    expect(actsInSpace("/v1/spaces")).toBe(false);
    expect(pathIn("blue", "/v1/spaces")).toBe("/v1/spaces");
    expect(pathIn("blue", "/v1/spaces/red")).toBe("/v1/spaces/red");
    expect(actsInSpace(SPACE_PATH)).toBe(true);
    expect(leavesSpaceOut(SPACE_PATH)).toBe(false);
    expect(pathIn("spaces", "/v1/pools")).toBe("/v1/spaces/spaces/pools");
  });
});

describe("the path of a thing", () => {
  it("is in the space that is named, and as it was where none is", () => {
    expect(pathIn("blue", "/v1/jobs/1")).toBe("/v1/spaces/blue/jobs/1");
    expect(pathIn(undefined, "/v1/jobs/1")).toBe("/v1/jobs/1");
  });

  it("may itself have what looks like the beginning of a path", () => {
    expect(pathIn("blue", "/v1/handles/v1/spaces/x")).toBe("/v1/spaces/blue/handles/v1/spaces/x");
  });
});
