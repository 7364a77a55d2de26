import { Writable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { spinnerOn } from "../../src/cli/spinner.ts";

/** A terminal, or what says that it is one. */
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
    const { screen, written } = terminal({ isTTY: true, columns: 80 });
    const spinner = spinnerOn(screen, "Waits for 3 addresses.");
    await vi.waitFor(() => expect(written.join("")).toContain("Waits for 3 addresses."));
    spinner.update("Waits for 1 address.");
    await vi.waitFor(() => expect(written.join("")).toContain("Waits for 1 address."));
    spinner.done();
    const { length } = written;
    await import("ora");
    expect(written).toHaveLength(length);
  });

  it.each([
    ["in a pipe or a log", { isTTY: undefined }],
    [
      "in a terminal without a size, where the spinner would go round for ever",
      { isTTY: true, columns: 0 },
    ],
  ])("is not shown %s", async (_, size) => {
    const { screen, written } = terminal(size);
    const spinner = spinnerOn(screen, "Waits.");
    await import("ora");
    spinner.done();
    expect(written).toEqual([]);
  });

  it("that is over at once is not shown", async () => {
    const { screen, written } = terminal({ isTTY: true, columns: 80 });
    spinnerOn(screen, "Waits.").done();
    await import("ora");
    expect(written).toEqual([]);
  });
});
