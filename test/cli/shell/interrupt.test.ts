import { expect, it } from "vitest";
import { EXIT } from "../../../src/cli/shell/exit.ts";
import { abortable, onInterrupt } from "../../../src/cli/shell/interrupt.ts";

it("Ctrl-C is answered by the command while it listens, and others who listen see that it does", () => {
  const before = process.listenerCount("SIGINT");
  let pressed = 0;
  let seen: number | undefined;
  const stop = onInterrupt(() => pressed++);
  const other = () => {
    seen = process.listenerCount("SIGINT") - before;
  };
  process.on("SIGINT", other);
  process.emit("SIGINT");
  expect({ pressed, seen }).toEqual({ pressed: 1, seen: 2 });
  process.off("SIGINT", other);
  stop();
  expect(process.listenerCount("SIGINT")).toBe(before);
});

it("Ctrl-C ends work that does not look at its signal, and the next one is not the command's", async () => {
  const before = process.listenerCount("SIGINT");
  const working = abortable({ onInterrupt }, "Interrupted.", () => new Promise(() => {}));
  process.emit("SIGINT");
  await expect(working).rejects.toMatchObject({ exit: EXIT.interrupted, message: "Interrupted." });
  expect(process.listenerCount("SIGINT")).toBe(before);
});
