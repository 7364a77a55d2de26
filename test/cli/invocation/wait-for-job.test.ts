import { beforeEach, describe, expect, it } from "vitest";
import { minutes } from "../minutes.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, platWith, call, server, space } = shell;
const { workAMinuteLater } = minutes(shell);

beforeEach(async () => {
  await plat("pool", "create", "web", "--cidr", "10.0.0.0/24");
  await call("POST", "/v1/assign", { host: "n1", ipv4: 1, handle: "pod" });
});

const DRAIN = ["pool", "drain", "web", "--wait"];
const seeIt = () =>
  new RegExp(
    `\\n {2}The job goes on\\. See it with \`plat job get drain-\\S+ --space ${space()}\`; repeat the command to wait again\\.\\n$`,
  );

describe("a wait for a job", () => {
  it("ends with 5 when its time is up, and names the job, which goes on", async () => {
    let nowMs = 0;
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
      nowMs += ms;
    };
    const { exit, out, err } = await platWith(
      { sleep, nowMs: () => nowMs },
      ...[...DRAIN, "--timeout", "1m5s"],
    );
    expect({ exit, out }).toEqual({ exit: 5, out: "" });
    expect(err).toMatch(/^Error: Job drain-\S+ is not done after 1m5s: \S/);
    expect(err).toMatch(seeIt());
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(65_000);
    expect((await plat("job", "get")).out).toMatch(/ running\b/);
  });

  it("looks no further once the time is up", async () => {
    const { exit } = await platWith({}, ...[...DRAIN, "--timeout", "0s"]);
    expect(exit).toBe(5);
  });

  it("that is repeated goes on with the same job", async () => {
    const first = await platWith({}, ...[...DRAIN, "--timeout", "0s"]);
    const again = await platWith({}, ...[...DRAIN, "--timeout", "0s"]);
    expect(again.err).toBe(first.err);
  });

  it("ends with 130 at Ctrl-C while it pauses, and names the job", async () => {
    let press: (() => void) | undefined;
    const { exit, out, err } = await platWith(
      {
        interrupt: (act) => {
          press = act;
        },
        sleep: async (_, signal) => {
          press?.();
          signal?.throwIfAborted();
        },
      },
      ...DRAIN,
    );
    expect({ exit, out }).toEqual({ exit: 130, out: "" });
    expect(err).toMatch(/^Error: Interrupted while waiting for job drain-\S+\.\n/);
    expect(err).toMatch(seeIt());
  });

  it("ends with 130 at Ctrl-C while a request is under way, which it does not repeat", async () => {
    let press: (() => void) | undefined;
    let looks = 0;
    const url = await wayTo(server().url, async ({ route }) => {
      if (!route.startsWith("GET /v1/jobs/")) return undefined;
      looks++;
      press?.();
      return "cut";
    });
    const { exit, err } = await platWith(
      {
        interrupt: (act) => {
          press = act;
        },
      },
      ...[...DRAIN, "--endpoint", url],
    );
    expect(exit).toBe(130);
    expect(err).toMatch(/^Error: Interrupted while waiting for job drain-/);
    expect(looks).toBe(1);
  });

  it("leaves Ctrl-C alone when it is over", async () => {
    const pressed: ((() => void) | undefined)[] = [];
    await platWith(
      { interrupt: (act) => pressed.push(act), sleep: workAMinuteLater },
      ...["pool", "release-affinities", "web", "--wait"],
    );
    expect(pressed).toEqual([expect.any(Function), undefined]);
  });

  it("names the job where the server cannot be reached any more", async () => {
    const url = await wayTo(server().url, async ({ route }) =>
      route.startsWith("GET /v1/jobs/") ? "cut" : undefined,
    );
    const { exit, err } = await plat(...DRAIN, "--endpoint", url);
    expect(exit).toBe(3);
    expect(err).toContain(" does not answer: ");
    expect(err).toMatch(seeIt());
  });

  it("has a time only where it waits, and one that can be read", async () => {
    for (const [line, said] of [
      [["pool", "drain", "web", "--timeout", "5m"], "Error: --timeout needs --wait.\n"],
      [[...DRAIN, "--timeout", "5"], "It must be a duration such as 90s, 10m or 1h30m."],
      [[...DRAIN, "--timeout", ""], "It must be a duration such as 90s, 10m or 1h30m."],
      [[...DRAIN, "--timeout", "1s1m"], "It must be a duration such as 90s, 10m or 1h30m."],
    ] as const) {
      const { exit, out, err } = await plat(...line);
      expect({ exit, out }).toEqual({ exit: 2, out: "" });
      expect(err).toContain(said);
    }
    expect((await plat("job", "get", "-o", "name")).out).toBe("");
  });
});
