import { beforeEach, describe, expect, it } from "vitest";
import { at, cluster, inventoryOf, podOf, whole } from "../check/cluster.ts";
import { files } from "../file.ts";
import { terminal } from "../terminal.ts";

const { plat, platWith, call, space } = terminal();
const { withPool, assign, release, read, stateOf, amend } = cluster({ call });
const file = files();

beforeEach(withPool);

/** Writes a report that confirms every address without a pod in the inventory. */
async function confirmed(inventory = inventoryOf(), name = "report.json"): Promise<string> {
  const path = await file(name, "");
  const check = (minutes: number, ...args: readonly string[]) =>
    platWith(
      { stdin: inventory, nowMs: at(minutes) },
      ...["check", ...whole(minutes), ...args, "--report", path],
    );
  await check(0);
  expect((await check(20, "--since", path)).exit).toBe(4);
  return path;
}

const fromReport = async (...paths: readonly string[]) => {
  const named = paths.flatMap((path) => ["--from-report", path]);
  const { exit, out, err } = await plat("release", ...named, "-o", "json");
  const { results } = JSON.parse(out) as { results: { address: string; status: string }[] };
  return { exit, err, results: results.map(({ address, status }) => `${address} ${status}`) };
};

describe("plat release --from-report", () => {
  it("releases what is confirmed, and nothing else", async () => {
    const [gone, used] = [await assign("gone"), await assign("used")];
    const path = await confirmed(inventoryOf(podOf("used", [used])));
    const { exit, out, err } = await plat("release", "--from-report", path);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toMatch(new RegExp(`^${gone} +released +gone$`, "m"));
    expect([await stateOf(gone), await stateOf(used)]).toEqual(["free", "assigned"]);
  });

  it("repeated, does nothing more", async () => {
    const address = await assign("gone");
    const path = await confirmed();
    expect((await fromReport(path)).results).toEqual([`${address} released`]);
    await assign("next", { address });
    const again = await fromReport(path);
    expect(again).toMatchObject({ exit: 0, results: [`${address} skipped`] });
    expect(await stateOf(address)).toBe("assigned");
  });

  it("leaves what was assigned anew since, or has got another owner", async () => {
    const [anew, moved] = [await assign("anew"), await assign("moved")];
    const path = await confirmed();
    await release("anew");
    await assign("anew", { address: anew });
    await amend(moved, { handle: "moved", owner: { active: { namespace: "shop", pod: "new" } } });
    const { results } = await fromReport(path);
    expect(results.sort()).toEqual([`${anew} skipped`, `${moved} skipped`].sort());
    expect([await stateOf(anew), await stateOf(moved)]).toEqual(["assigned", "assigned"]);
  });

  it("leaves a handle that came back to its address under a limit: it is the same assignment", async () => {
    const limit = { limitPerHandle: 1 };
    const [back, gone] = [await assign("back", limit), await assign("gone")];
    const path = await confirmed();
    const { generation } = await read(back);
    expect(await assign("back", limit)).toBe(back);
    expect((await read(back)).generation).toBe(generation);
    expect((await fromReport(path)).results).toEqual([`${gone} released`]);
    expect(await stateOf(back)).toBe("assigned");
  });

  it("takes several reports, and an address of several once", async () => {
    const address = await assign("gone");
    const [one, other] = [await confirmed(), await confirmed(inventoryOf(), "other.json")];
    expect((await fromReport(one, other)).results).toEqual([`${address} released`]);
  });

  it("releases all that a handle has together, or nothing where it has got another address since", async () => {
    const attributes = { collect: "together" };
    const first = await assign("a", { handle: "vm", attributes });
    const path = await confirmed();
    const second = await assign("b", { handle: "vm", attributes });
    expect((await fromReport(path)).results).toEqual([`${first} skipped`]);
    expect(await stateOf(first)).toBe("assigned");
    const both = await confirmed();
    expect((await fromReport(both)).results.sort()).toEqual(
      [`${first} released`, `${second} released`].sort(),
    );
  });

  it("says so where nothing is confirmed", async () => {
    await assign("gone");
    const path = await file("first.json", "");
    const given = { stdin: inventoryOf(), nowMs: at(0) };
    await platWith(given, "check", ...whole(0), "--report", path);
    const { exit, results, err } = await fromReport(path);
    expect({ exit, results }).toEqual({ exit: 0, results: [] });
    expect(err).toBe(`Warning: ${path} has no confirmed candidate, so nothing is released.\n`);
  });

  it("rejects a report of another space, or none, before anything is sent", async () => {
    const address = await assign("gone");
    const path = await confirmed();
    const another = await plat("release", "--space", "another", "--from-report", path);
    expect(another.exit).toBe(2);
    expect(another.err).toContain(`is of space ${space()}, not of another; use --space ${space()}`);
    const none = await plat("release", "--from-report", path, "--from-report", "/nowhere");
    expect(none.exit).toBe(2);
    expect(await stateOf(address)).toBe("assigned");
  });
});
