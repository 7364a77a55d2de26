import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { call, plat } = terminal();

const get = async (path: string) => (await call("GET", path)).body;
const withPools = async () => {
  await call("PUT", "/v1/pools/pods", { cidr: "10.20.0.0/24", blockSize: 28 });
  await call("PUT", "/v1/pools/pods6", { cidr: "2001:db8:20::/112", blockSize: 124 });
};
const importing = (folder: string, ...args: readonly string[]) =>
  plat("import", "host-local", "-f", folder, "--host", "node-1", ...args);

/** Makes a folder as host-local has it, with the network's name. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), "plat-networks-")), "podnet");
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const FILES = {
  "10.20.0.2": "c0ffee\r\neth0",
  "10.20.0.17": "decade\r\nnet1",
  "10.20.0.3": "facade",
  "2001:db8:20::2": "c0ffee\r\neth0",
  "last_reserved_ip.0": "10.20.0.17",
  lock: "",
};

describe("plat import host-local", () => {
  it("takes each address over under the handle by which plat-cni releases it, and does nothing twice", async () => {
    await withPools();
    const folder = await folderOf(FILES);
    expect((await importing(folder, "--dry-run")).out).toMatch(/addresses +4 +0 +0 +0/);
    expect((await get("/v1/addresses")).addresses).toEqual([]);
    expect((await importing(folder)).exit).toBe(0);
    expect(await get("/v1/addresses/10.20.0.2")).toMatchObject({
      handle: "cni/podnet/node-1/c0ffee/eth0",
      host: "node-1",
      attributes: { network: "podnet", containerId: "c0ffee", ifName: "eth0" },
    });
    // Dual-stack: one DEL releases both.
    expect(await get("/v1/addresses/2001:db8:20::2")).toMatchObject({
      handle: "cni/podnet/node-1/c0ffee/eth0",
    });
    expect(await get("/v1/addresses/10.20.0.3")).toMatchObject({
      handle: "cni/podnet/node-1/facade/eth0",
    });
    expect((await importing(folder)).err).toContain("everything exists already");
  });

  it("takes the network that a flag names", async () => {
    await withPools();
    await importing(await folderOf(FILES), "--network", "other");
    expect(await get("/v1/addresses/10.20.0.17")).toMatchObject({
      handle: "cni/other/node-1/decade/net1",
    });
  });

  it("leaves out files whose name is no address, and names them", async () => {
    await withPools();
    const { exit, err } = await importing(await folderOf({ ...FILES, "notes.txt": "x" }));
    expect(exit).toBe(0);
    expect(err).toMatch(/Left out, because no address is the name of: \S+notes\.txt\./);
  });

  it("rejects a folder that does not exist, and one without an address", async () => {
    const missing = await importing("/nonexistent");
    expect(missing.exit).toBe(2);
    expect(missing.err).toContain("/nonexistent cannot be read as a folder");
    const empty = await importing(await folderOf({ lock: "" }));
    expect(empty.exit).toBe(2);
    const broken = await importing(await folderOf({ "10.20.0.2": "" }));
    expect(broken.err).toContain("must have the id of a container");
  });
});
