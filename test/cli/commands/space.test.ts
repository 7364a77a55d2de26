import { describe, expect, it } from "vitest";
import { minutes } from "../minutes.ts";
import { person, terminal } from "../terminal.ts";

const shell = terminal();
const { plat, platWith } = shell;
const { workAMinuteLater } = minutes(shell);

describe("plat space delete", () => {
  it("with --wait follows the job in the space that it deletes, whatever the space of the command", async () => {
    await plat("configure", "--cooldown-seconds", "7", "--space", "blue");
    const { exit, out, err } = await platWith(
      { sleep: workAMinuteLater },
      ...["space", "delete", "blue", "--wait", "-o", "json"],
    );
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      space: "blue",
      kind: "space.delete",
      state: "done",
      progress: { removed: 1 },
    });
    expect((await plat("job", "get", "delete-space", "--space", "blue")).exit).toBe(0);
  });

  it("prints the job as a table without a pool, and what it does below", async () => {
    await plat("configure", "--cooldown-seconds", "7", "--space", "red");
    const { exit, out } = await plat("space", "delete", "red");
    expect(exit).toBe(0);
    expect(out).toMatch(
      /^ID +KIND +POOL +STATE\ndelete-space +space\.delete +\S* +running\n\nThe job will remove/,
    );
  });

  it("asks first, and with --dry-run starts nothing", async () => {
    await plat("configure", "--cooldown-seconds", "7", "--space", "grey");
    const { questions, ask } = person(false);
    expect((await platWith({ ask }, "space", "delete", "grey")).exit).toBe(1);
    expect(questions).toEqual([
      "Delete space grey, with its settings, reservations, quotas and namespaces?",
    ]);
    expect((await plat("space", "delete", "grey", "--dry-run")).out).toMatch(/space\.delete/);
    const jobs = await plat("job", "get", "--space", "grey", "-o", "json");
    expect(JSON.parse(jobs.out)).toEqual({ jobs: [] });
  });

  it("that fails ends with 1, and says why", async () => {
    await plat("configure", "--cooldown-seconds", "7", "--space", "pink");
    const sleep = async () => {
      await plat("pool", "create", "main", "--cidr", "10.0.0.0/24", "--space", "pink");
      await workAMinuteLater();
    };
    const { exit, err } = await platWith({ sleep }, "space", "delete", "pink", "--wait");
    expect(exit).toBe(1);
    expect(err).toMatch(/^Error: Job delete-space failed: The space is not deleted: it has pools/);
  });
});
