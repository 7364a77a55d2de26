import { beforeEach, describe, expect, it } from "vitest";
import { minutes } from "../minutes.ts";
import { terminal } from "../terminal.ts";

const shell = terminal();
const { plat, platWith, call } = shell;
const { workAMinuteLater } = minutes(shell);

beforeEach(async () => {
  await plat("pool", "create", "web", "--cidr", "10.0.0.0/24");
});

const assign = () => call("POST", "/v1/assign", { host: "n1", ipv4: 3, handle: "pod" });
const isDisabled = async () => JSON.parse((await plat("pool", "get", "web", "-o", "json")).out);

describe("plat pool drain", () => {
  it("prints the job that it begins, which job get follows", async () => {
    const begun = await plat("pool", "drain", "web");
    expect(begun).toMatchObject({ exit: 0, err: "" });
    expect(begun.out).toMatch(
      /^ID +KIND +POOL +STATE\ndrain-\S+ +pool\.drain +web +running\n\nThe pool assigns no more/,
    );
    const [list] = begun.out.split("\n\n");
    expect((await plat("job", "get")).out).toBe(`${list}\n`);
    const [id = ""] = /drain-\S+/.exec(begun.out) ?? [];
    expect((await plat("job", "get", id)).out).toBe(begun.out);
    expect(await isDisabled()).toMatchObject({ disabled: true });
  });

  it("with --wait follows it until the last address is released, and says meanwhile what it waits for", async () => {
    await assign();
    const progress: string[] = [];
    let minute = 0;
    const sleep = async () => {
      if (++minute === 3) await call("POST", "/v1/release", { handle: "pod" });
      await workAMinuteLater();
    };
    const { exit, out, err } = await platWith(
      { sleep, progress },
      ...["pool", "drain", "web", "--wait", "-o", "json"],
    );
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({ kind: "pool.drain", state: "done" });
    expect(progress[0]).toMatch(
      /^The pool assigns no more addresses\. Waits until \d{4}-\S+Z: until then, a function may still/,
    );
    expect(progress).toContain("Waits for 3 addresses to be released.");
  });

  it("that somebody undoes ends with 1, and says so", async () => {
    await assign();
    const { out: before } = await plat("pool", "get", "web", "-o", "json");
    let minute = 0;
    const sleep = async () => {
      if (++minute === 2) await platWith({ stdin: before }, "pool", "apply", "-f", "-");
      await workAMinuteLater();
    };
    const { exit, out, err } = await platWith({ sleep }, "pool", "drain", "web", "--wait");
    expect(exit).toBe(1);
    expect(out).toMatch(/ cancelled\n/);
    expect(err).toMatch(/^Error: Job drain-\S+ was cancelled: .*\n {2}code: job_cancelled\n/s);
  });
});

describe("plat pool delete", () => {
  it("with --wait ends when name and range are free", async () => {
    const { exit, out } = await platWith(
      { sleep: workAMinuteLater },
      ...["pool", "delete", "web", "--wait"],
    );
    expect(exit).toBe(0);
    expect(out).toMatch(/pool\.delete +web +done/);
    expect((await plat("pool", "create", "other", "--cidr", "10.0.0.0/16")).exit).toBe(0);
  });
});

describe("plat pool release-affinities", () => {
  it("takes the blocks from their hosts, and the pool serves on", async () => {
    await assign();
    const { exit, out } = await platWith(
      { sleep: workAMinuteLater },
      ...["pool", "release-affinities", "web", "--wait", "-o", "yaml"],
    );
    expect(exit).toBe(0);
    expect(out).toMatch(/kind: pool\.release\npool: web\nstate: done\n/);
    expect((await assign()).status).toBe(200);
  });

  it("only from those of empty blocks, where they must be empty", async () => {
    await assign();
    const { exit, out } = await platWith(
      { sleep: workAMinuteLater },
      ...["pool", "release-affinities", "web", "--must-be-empty", "--wait", "-o", "yaml"],
    );
    expect(exit).toBe(0);
    expect(out).toMatch(/pool: web\nmustBeEmpty: true\nstate: done\n/);
    expect((await plat("affinity", "get", "-o", "custom-columns=HOST:.host")).out).toMatch(/n1/);
  });
});
