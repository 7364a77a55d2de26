import { beforeEach, describe, expect, it } from "vitest";
import { person, terminal } from "../terminal.ts";

const { plat, platWith, call } = terminal();

beforeEach(async () => {
  await plat("pool", "create", "web", "--cidr", "10.0.0.0/24");
});

const pools = async () => (await plat("pool", "get", "-o", "custom-columns=NAME:.name")).out;
const state = async () => (await plat("pool", "get", "web", "-o", "json")).out;

/** Runs a line at a terminal where a person gives this answer; also returns the questions. */
async function asked(answer: boolean, ...line: readonly string[]) {
  const { questions, ask } = person(answer);
  return { questions, ...(await platWith({ ask }, ...line)) };
}

describe("a command that takes something away", () => {
  it("asks at a terminal, with what there is to lose, and does it where the answer is yes", async () => {
    await call("POST", "/v1/assign", { host: "n1", ipv4: 1, handle: "pod" });
    const { questions, exit } = await asked(true, "pool", "drain", "web");
    expect(questions).toEqual([
      "Drain pool web (10.0.0.0/24, 1 address assigned)? It will stop assigning addresses.",
    ]);
    expect(exit).toBe(0);
    expect(await state()).toContain('"disabled": true');
  });

  it("changes nothing where the answer is no, and exits with 1", async () => {
    const { questions, exit, out, err } = await asked(false, "pool", "delete", "web");
    expect(questions).toEqual(["Delete pool web (10.0.0.0/24, 0 addresses assigned)?"]);
    expect({ exit, out, err }).toEqual({
      exit: 1,
      out: "",
      err: "Error: Cancelled: nothing was changed.\n",
    });
    expect(await pools()).toBe("NAME\nweb\n");
  });

  it.each(["--yes", "-y"])("does not ask with %s", async (yes) => {
    const { questions, exit } = await asked(false, "pool", "drain", "web", yes);
    expect({ questions, exit }).toEqual({ questions: [], exit: 0 });
  });

  it("does not ask with --dry-run, for it changes nothing", async () => {
    const { questions, exit } = await asked(false, "pool", "delete", "web", "--dry-run");
    expect({ questions, exit }).toEqual({ questions: [], exit: 0 });
    expect(await pools()).toBe("NAME\nweb\n");
  });

  it("where there is no terminal is rejected before anything is sent, unless it says --yes", async () => {
    const nobody = { ask: "no terminal" } as const;
    const nowhere = { PLAT_ENDPOINT: "http://127.0.0.1:2" };
    expect(await platWith({ ...nobody, env: nowhere }, "pool", "delete", "web")).toEqual({
      exit: 2,
      out: "",
      err: "Error: This command needs confirmation, but stdin or stderr is not a terminal.\n  Nothing was sent. Repeat it with --yes, or look first with --dry-run.\n",
    });
    expect((await platWith(nobody, "pool", "delete", "web", "--dry-run")).exit).toBe(0);
    expect((await platWith(nobody, "pool", "delete", "web", "--yes")).exit).toBe(0);
  });
});
