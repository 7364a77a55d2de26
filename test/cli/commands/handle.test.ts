import { describe, expect, it } from "vitest";
import { assignUnderOldName } from "../../old-name.ts";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";

const shell = terminal();
const { plat } = shell;
const pool = spaceWithPool(shell);

describe("plat handle get", () => {
  it("shows all addresses of a handle in their order, whatever is in its name", async () => {
    await pool();
    for (const address of ["10.0.0.10", "10.0.0.2", "10.0.0.9", "10.0.0.1"])
      await plat("assign", "--host", "n1", "--address", address, "--handle", "shop/web 0!");
    expect(await plat("handle", "get", "shop/web 0!")).toEqual({
      exit: 0,
      out: [
        "ADDRESS     STATE      HOST   POOL",
        "10.0.0.1    assigned   n1     main",
        "10.0.0.2    assigned   n1     main",
        "10.0.0.9    assigned   n1     main",
        "10.0.0.10   assigned   n1     main",
        "",
      ].join("\n"),
      err: "",
    });
    const { out } = await plat("handle", "get", "shop/web 0!", "-o", "json");
    expect(JSON.parse(out)).toMatchObject({
      handle: "shop/web 0!",
      addresses: ["10.0.0.1", "10.0.0.2", "10.0.0.9", "10.0.0.10"].map((address) => ({ address })),
    });
  });

  it("rejects a name that no path can carry, before anything is sent; its body's way gives it back", async () => {
    await pool();
    const { space, server } = shell;
    const old = { space: space(), handle: "web?1", host: "n#1", address: "10.0.0.1" };
    await assignUnderOldName(server().context, old);
    await plat("assign", "--host", "n1", "--address", "10.0.0.17", "--handle", "web");
    for (const line of [
      ["handle", "get", "web?1"],
      ["affinity", "release", "--host", "n#1", "--all"],
      ["node", "delete", "n%1", "--release"],
    ]) {
      const { exit, err } = await plat(...line);
      expect(exit).toBe(2);
      expect(err).toMatch(/^Error: "(web\?1|n#1|n%1)" must not contain \?, % or #, .* …\/release/);
    }
    expect((await plat("block", "get", "10.0.0.0/28", "--calico")).exit).toBe(0);
    expect((await plat("export", "csv")).out).toContain("10.0.0.1,web?1,n#1,");
    expect((await plat("release", "--handle", "web?1")).out).toContain("10.0.0.1");
    expect((await plat("handle", "get", "web")).out).toContain("10.0.0.17");
  });

  it("exits with 1 where the handle has no address", async () => {
    const { exit, err } = await plat("handle", "get", "nobody");
    expect(exit).toBe(1);
    expect(err).toMatch(/^Error: .*\n {2}code: not_found\n/s);
  });
});

describe("plat address get", () => {
  it("shows one address, assigned or not", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--address", "10.0.0.1", "--handle", "shop/web 0!");
    expect((await plat("address", "get", "10.0.0.1")).out).toBe(
      `ADDRESS    STATE      HANDLE        HOST   POOL\n10.0.0.1   assigned   shop/web 0!   n1     main\n`,
    );
    const { out } = await plat("address", "get", "10.0.0.2", "-o", "json");
    expect(JSON.parse(out)).toMatchObject({ address: "10.0.0.2", state: "free", pool: "main" });
  });
});

describe("plat handle get without a handle", () => {
  it("lists the handles that have addresses, or those that begin with a text, by name", async () => {
    await pool();
    for (const handle of ["web-1", "db-0", "web-0"])
      await plat("assign", "--host", "n1", "--ipv4", "1", "--handle", handle);
    expect((await plat("handle", "list")).out).toBe("HANDLE\ndb-0\nweb-0\nweb-1\n");
    const web = await plat("handle", "get", "--prefix", "web-", "-o", "name");
    expect(web.out).toBe("web-0\nweb-1\n");
    expect((await plat("handle", "get", "web-0", "--prefix", "web-")).exit).toBe(2);
    const hosts = await plat("host", "list", "-o", "json");
    expect(JSON.parse(hosts.out)).toEqual({
      hosts: [{ host: "n1", affinityType: "host", blocks: 1, otherBlocks: 0 }],
    });
  });
});
