import { describe, expect, it } from "vitest";
import { spaceWithPool } from "../space.ts";
import { DRY_RUN, terminal } from "../terminal.ts";

const shell = terminal();
const { plat } = shell;
const pool = spaceWithPool(shell);

const named = (uid: string) => [
  ...["--namespace", "shop", "--workload", "StatefulSet/db/db-0"],
  ...["--uid", uid],
];
const assign = (uid: string, host = "n1") =>
  plat("assign", "--host", host, "--ipv4", "1", ...named(uid), "-o", "name");
const HANDLE = "workload/shop/StatefulSet/db/db-0";

describe("an instance of a workload", () => {
  it("keeps its address for its next uid, and is shown as kept", async () => {
    await pool();
    const { exit, out } = await assign("a");
    expect(exit).toBe(0);
    const ip = out.trim();
    const kept = await plat("release", ...named("a"), "--keep");
    expect(kept).toMatchObject({ exit: 0, err: "" });
    expect(kept.out).toMatch(new RegExp(`^${ip} +kept +${HANDLE}$`, "m"));
    expect((await plat("show", "--ip", ip)).out).toMatch(
      new RegExp(
        `^IP ${ip} is kept for the next uid of its instance\nHandle ID: ${HANDLE}\nUid: a`,
      ),
    );
    expect((await plat("address", "get", ip, "-o", "jsonpath={.state}")).out.trim()).toBe("kept");
    expect((await assign("b", "n2")).out.trim()).toBe(ip);
    expect((await assign("a")).err).toContain("code: already_released");
  });

  it("is released by its uid, and by its address while it is kept", async () => {
    await pool();
    const ip = (await assign("a")).out.trim();
    expect(await plat("release", ...named("b"))).toEqual({
      exit: 0,
      out: "ADDRESS   STATUS   HANDLE   DETAIL\n",
      err: `Note: uid "b" of ${HANDLE} has no addresses in space "${shell.space()}".\n`,
    });
    await plat("release", ...named("a"), "--keep");
    expect((await plat("release", "--ip", ip)).out).toMatch(new RegExp(`^${ip} +released`, "m"));
    const again = (await assign("a")).out.trim();
    expect((await plat("release", ...named("a"))).out).toMatch(
      new RegExp(`^${again} +released`, "m"),
    );
  });

  it("is named among the kept when its host is released", async () => {
    await pool();
    const ip = (await assign("a")).out.trim();
    const release = ["release", "--host", "n1"];
    expect((await plat(...release, "--dry-run")).out).toMatch(
      new RegExp(`^${ip} +would_keep`, "m"),
    );
    const { exit, out } = await plat(...release, "--yes");
    expect(exit).toBe(0);
    expect(out).toMatch(new RegExp(`^${ip} +kept`, "m"));
  });

  it("is named among the kept in a dry run of a release by its generation", async () => {
    await pool();
    const ip = (await assign("a")).out.trim();
    const read = await plat("address", "get", ip, "-o", "jsonpath={.generation}");
    const release = ["release", "--ip", ip, "--generation", read.out.trim()];
    for (const [more, would, does] of [
      [["--keep"], "would_keep", "kept"],
      [[], "would_release", "released"],
    ] as const) {
      const line = [...release, ...more];
      expect((await plat(...line, "--dry-run")).out).toMatch(new RegExp(`^${ip} +${would}`, "m"));
      expect((await plat(...line)).out).toMatch(new RegExp(`^${ip} +${does}`, "m"));
    }
  });

  it("is shown by a dry run of a release by its uid, which changes nothing", async () => {
    await pool();
    const ip = (await assign("a")).out.trim();
    const line = (uid: string, ...more: readonly string[]) =>
      plat("release", ...named(uid), ...more, "--dry-run");
    expect(await line("a")).toMatchObject({ exit: 0, err: DRY_RUN });
    expect((await line("a")).out).toMatch(new RegExp(`^${ip} +would_release +${HANDLE}$`, "m"));
    expect((await line("a", "--keep")).out).toMatch(new RegExp(`^${ip} +would_keep`, "m"));
    expect(await line("b")).toMatchObject({
      exit: 0,
      out: "ADDRESS   STATUS   HANDLE   DETAIL\n",
      err: expect.stringContaining(`Note: uid "b" of ${HANDLE} has no addresses in space`),
    });
    expect((await plat("address", "get", ip, "-o", "jsonpath={.state}")).out.trim()).toBe(
      "assigned",
    );
  });

  it("is named when its node is deleted with what that has", async () => {
    await pool();
    const ip = (await assign("a")).out.trim();
    const remove = ["node", "delete", "n1", "--release"];
    expect((await plat(...remove, "--dry-run")).out).toContain("0 addresses and 1 block of n1");
    expect(await plat(...remove, "--yes")).toEqual({
      exit: 0,
      out: "0 addresses and 1 block of n1 released\n",
      err: `Note: instances keep 1 address of n1: ${ip}.\n`,
    });
  });

  it.each([
    [["assign", "--host", "n1", "--workload", "Pod/a"], "--workload needs --uid."],
    [["assign", "--host", "n1", "--workload", "a", "--uid", "b"], "It must be kind/name or"],
    [["assign", "--host", "n1", "--uid", "b"], "--uid needs --workload."],
    [["release", "--workload", "Pod/a", "--uid", "b"], "--workload needs --namespace."],
    [["release", "--handle", "a", "--keep"], "--keep needs --workload, or --ip and"],
    [["release", "--handle", "a", ...named("a")], "--workload is used alone"],
  ])("is not named by %j", async (line, message) => {
    const { exit, err } = await plat(...line);
    expect(exit).toBe(2);
    expect(err).toContain(message);
  });
});
