import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { newHandle } from "../../src/api/schema/field.ts";
import type { HttpReply } from "../../src/local/client.ts";
import { assignUnderOldName } from "../old-name.ts";
import { context, newSpace, spaceWithPool, textsOf } from "./plat.ts";

const LOST = ["web?1", "100%41", "web#1", "?", "%", "#"];
const WORDS = expect.stringMatching(
  /^must not contain \?, % or #, .* POST …\/release, .* its body,/,
);

describe("a name that no path can carry", () => {
  it.each(LOST)("such as %s is given to nothing", async (name) => {
    const plat = await spaceWithPool();
    const given = { host: "n", ipv4: 1 };
    const rejections = [
      [await plat.assign({ ...given, handle: name }), "handle"],
      [await plat.assign({ ...given, host: name }), "host"],
      [await plat.assign({ ...given, host: name, affinityType: "virtual" }), "host"],
      [
        await plat.assign({ ...given, hostReserved: { start: 1, end: 0, handle: name } }),
        "hostReserved.handle",
      ],
      [await plat.put("/v1/nodes/n", { name }), "name"],
      [
        await plat.put("/v1/nodes/n", { apiVersion: "v1", kind: "Node", metadata: { name } }),
        "metadata.name",
      ],
    ] as const;
    for (const [{ status, body }, field] of rejections)
      expect({ status, fields: body.fields }).toEqual({
        status: 400,
        fields: [{ field, value: name, problem: WORDS }],
      });
    expect((await plat.get("/v1/nodes")).body.nodes).toEqual([]);
    expect((await plat.get("/v1/blocks")).body.blocks).toEqual([]);
  });

  it.each(LOST)(
    "such as %s is rejected in a path, and what its beginning names stays",
    async (name) => {
      const plat = await spaceWithPool();
      for (const beginning of ["web", "100", "100A"])
        await plat.assign({ host: beginning, ipv4: 1, handle: beginning });
      const encoded = encodeURIComponent(name);
      const node = `/v1/nodes/${encoded}`;
      const rejections = [
        [await plat.get(`/v1/handles/${encoded}`), "handle"],
        [await plat.delete(`/v1/handles/${encoded}`), "handle"],
        [await plat.get(node), "node"],
        [await plat.put(node, {}), "node"],
        [await plat.delete(node), "node"],
        [await plat.get(`${node}/affinities`), "node"],
        [await plat.delete(`${node}/affinities`), "node"],
      ] as const;
      for (const [{ status, body }, field] of rejections)
        expect({ status, fields: body.fields }).toEqual({
          status: 400,
          fields: [{ field, value: name, problem: WORDS }],
        });
      for (const beginning of ["web", "100", "100A"])
        expect(textsOf(await plat.get(`/v1/handles/${beginning}`))).toHaveLength(1);
    },
  );

  it.each(LOST)("such as %s, from before, is found and freed by a body", async (name) => {
    const plat = newSpace();
    await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
    const { space } = plat;
    const old = () => assignUnderOldName(context, { space, handle: name, host: name, ipv4: 2 });
    await old();
    const { blocks } = (await plat.get("/v1/blocks", { host: name })).body;
    expect(blocks).toMatchObject([{ host: name, inUse: 2 }]);
    expect((await plat.release({ handle: name })).body).toMatchObject({ handle: name });
    expect((await plat.get("/v1/blocks", { host: name })).body.blocks[0].inUse).toBe(0);
    await old();
    const released = await plat.release({ host: name });
    expect(released.body).toMatchObject({ host: name, complete: true });
    expect(released.body.released).toHaveLength(2);
  });
});

const DOTS = ["..", ".", "team/../web", "./web", "web/..", "team\\..\\web"];
const DIRECTED = ["\u202egnp.exe", "web\u200f", "\u2066web\u2069", "\u061cweb"];
const DOT_WORDS =
  "must have no part . or .. between slashes or backslashes, because URL parsers resolve them";
const DIRECTION_WORDS = "must have no characters that change the direction of text, such as U+202E";
const NEW_HANDLES = [
  ...DOTS.map((name) => [name, DOT_WORDS] as const),
  ...DIRECTED.map((name) => [name, DIRECTION_WORDS] as const),
];

describe("a name that a URL parser changes, or that looks like another", () => {
  it.each(NEW_HANDLES)("such as %j is given to nothing", async (name, problem) => {
    const plat = await spaceWithPool();
    const given = { host: "n", ipv4: 1 };
    const namespace = "shop";
    const rejections = [
      [await plat.assign({ ...given, handle: name }), "handle"],
      [
        await plat.assign({ ...given, hostReserved: { start: 1, end: 0, handle: name } }),
        "hostReserved.handle",
      ],
      [await plat.call("POST", "/v1/prefixes", { body: { handle: name, family: 4 } }), "handle"],
    ];
    if (!name.includes("/"))
      for (const part of ["kind", "name", "instance"]) {
        const workload = { kind: "StatefulSet", name: "db", instance: "db-0", uid: "u" };
        const body = { ...given, namespace, workload: { ...workload, [part]: name } };
        rejections.push([await plat.call("POST", "/v1/assign", { body }), `workload.${part}`]);
      }
    for (const [{ status, body }, field] of rejections as [HttpReply, string][])
      expect({ status, fields: body.fields }).toEqual({
        status: 400,
        fields: [{ field, value: name, problem }],
      });
    expect((await plat.get("/v1/blocks")).body.blocks).toEqual([]);
  });

  it.each(DOTS)("such as %j is no host", async (name) => {
    const plat = await spaceWithPool();
    const given = { host: "n", ipv4: 1 };
    const metadata = { name };
    const node = { kind: "Node", apiVersion: "v1", metadata };
    const rejections = [
      [await plat.assign({ ...given, host: name }), "host"],
      [await plat.assign({ ...given, host: name, affinityType: "virtual" }), "host"],
    ];
    if (!name.includes("/")) {
      const path = `/v1/nodes/${encodeURIComponent(name)}`;
      rejections.push(
        [await plat.put("/v1/nodes/n", { name }), "name"],
        [await plat.put("/v1/nodes/n", node), "metadata.name"],
        [await plat.put(path, {}), "node"],
        [await plat.call("POST", `${path}/affinities`, { body: { families: [4] } }), "node"],
      );
    }
    for (const [{ status, body }, field] of rejections as [HttpReply, string][])
      expect({ status, fields: body.fields }).toEqual({
        status: 400,
        fields: [{ field, value: name, problem: DOT_WORDS }],
      });
    expect((await plat.get("/v1/nodes")).body.nodes).toEqual([]);
  });

  it("arrives as itself, with its slashes unencoded, if anything may have it", () => {
    const pieces = fc.constantFrom(
      ".",
      "..",
      "/",
      "//",
      "\\",
      "a",
      "%",
      "?",
      "\t",
      " ",
      "é",
      "\u202e",
    );
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 8 }), (chosen) => {
        const name = chosen.join("");
        if (!v.is(newHandle, name)) return;
        const encoded = name.split("/").map(encodeURIComponent).join("/");
        const { pathname } = new URL(`http://localhost/v1/handles/${encoded}`);
        expect(decodeURIComponent(pathname)).toBe(`/v1/handles/${name}`);
      }),
    );
  });

  it.each(["...", "a..b", "..a/b..", "team/.well-known/web"])(
    "such as %j, whose dots are part of it, is a name",
    async (name) => {
      const plat = await spaceWithPool();
      const { status } = await plat.assign({ host: name, ipv4: 1, handle: name });
      expect(status).toBe(200);
      expect(textsOf(await plat.get(`/v1/handles/${encodeURIComponent(name)}`))).toHaveLength(1);
    },
  );

  it.each([...DOTS, ...DIRECTED])(
    "such as %j, from before, is read by its path and freed by a body",
    async (name) => {
      const plat = newSpace();
      await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
      const { space } = plat;
      const old = () => assignUnderOldName(context, { space, handle: name, host: name, ipv4: 1 });
      await old();
      expect(textsOf(await plat.get(`/v1/handles/${encodeURIComponent(name)}`))).toHaveLength(1);
      expect(textsOf(await plat.get("/v1/addresses", { handle: name }))).toHaveLength(1);
      expect((await plat.release({ handle: name })).body.released).toHaveLength(1);
      if (DIRECTED.includes(name)) return;
      await old();
      if (!name.includes("/")) {
        const path = `/v1/nodes/${encodeURIComponent(name)}/affinities`;
        expect((await plat.get(path)).body.affinities).toHaveLength(1);
      }
      expect((await plat.release({ host: name })).body.released).toHaveLength(1);
    },
  );
});
