import { describe, expect, it } from "vitest";
import { tellingResult } from "../../../src/cli/output/progress.ts";
import { EXIT } from "../../../src/cli/shell/exit.ts";

describe("a result that is told in the end", () => {
  it("is told after Ctrl-C, which ends the work before the next request", async () => {
    let press = () => {};
    let asked = 0;
    const io = {
      err: () => {},
      onInterrupt: (act: () => void) => {
        press = act;
        return () => {};
      },
    };
    async function* answers() {
      for (;;) {
        if (++asked === 2) press();
        yield asked;
      }
    }
    const done: number[] = [];
    const told: number[][] = [];
    const work = tellingResult(
      io,
      done,
      () => told.push([...done]),
      async (untilInterrupted) => {
        for await (const answer of untilInterrupted(answers())) done.push(answer);
      },
    );
    await expect(work).rejects.toMatchObject({ exit: EXIT.interrupted });
    expect({ asked, told }).toEqual({ asked: 2, told: [[1, 2]] });
  });
});
