import { Writable } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { spinnerOn } from "../../../src/cli/output/spinner.ts";
import { eventually } from "../../eventually.ts";

const CYAN = "\u001b[36m";
/** The library of colors reads the environment when it is loaded. */
vi.hoisted(() => {
  process.env.FORCE_COLOR = "1";
});

const ENV = { TERM: "xterm" };
const SCREEN = { isTTY: true, columns: 80 };

/** Makes a stream with the properties of a terminal. */
function terminal(size: object) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, next) {
      written.push(String(chunk));
      next();
    },
  });
  const calls = { cursorTo() {}, clearLine() {}, moveCursor() {} };
  const screen = Object.assign(stream, calls, size) as unknown as NodeJS.WriteStream;
  return { screen, written };
}

describe("a spinner", () => {
  it("is shown to a person who looks on, and is not heard of again once it is over", async () => {
    const { screen, written } = terminal(SCREEN);
    const spinner = spinnerOn(screen, ENV, "Waits for 3 addresses.");
    const shown = (text: string) => eventually(() => expect(written.join("")).toContain(text));
    await shown("Waits for 3 addresses.");
    spinner.update("Waits for 1 address.");
    await shown("Waits for 1 address.");
    spinner.done();
    const { length } = written;
    await import("ora");
    expect(written).toHaveLength(length);
  });

  it.each([
    ["in a pipe or a log", { isTTY: undefined }, ENV],
    ["in a build, whose terminal nobody looks at", SCREEN, { ...ENV, CI: "true" }],
    ["in a terminal that cannot take back a line", SCREEN, { TERM: "dumb" }],
    [
      "in a terminal without a size, where the spinner would go round for ever",
      { isTTY: true, columns: 0 },
      ENV,
    ],
  ])("is not shown %s", async (_, size, env) => {
    const { screen, written } = terminal(size);
    const spinner = spinnerOn(screen, env, "Waits.");
    await import("ora");
    spinner.done();
    expect(written).toEqual([]);
  });

  it.each([
    [ENV, true],
    [{ ...ENV, NO_COLOR: "1" }, false],
  ])("has a color, but not where NO_COLOR is set", async (env, isColored) => {
    const { screen, written } = terminal(SCREEN);
    const spinner = spinnerOn(screen, env, "Waits.");
    await eventually(() => expect(written.join("")).toContain("Waits."));
    spinner.done();
    expect(written.join("").includes(CYAN)).toBe(isColored);
  });

  it("leaves Ctrl-C to the terminal: standard input stays as it is", async () => {
    const setRawMode = vi.fn();
    const { isTTY } = process.stdin;
    Object.assign(process.stdin, { isTTY: true, setRawMode });
    onTestFinished(() => void Object.assign(process.stdin, { isTTY, setRawMode: undefined }));
    const { screen, written } = terminal(SCREEN);
    const spinner = spinnerOn(screen, ENV, "Waits.");
    await eventually(() => expect(written.join("")).toContain("Waits."));
    spinner.done();
    expect(setRawMode).not.toHaveBeenCalled();
  });

  it("that is over at once is not shown", async () => {
    const { screen, written } = terminal(SCREEN);
    spinnerOn(screen, ENV, "Waits.").done();
    await import("ora");
    expect(written).toEqual([]);
  });
});
