import { describe, expect, it } from "vitest";
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
