import type { Ora } from "ora";
import type { ShownProgress } from "../shell/io.ts";

/** Returns a spinner for a terminal with a person; nothing in a pipe or a log. It disappears before other output. */
export function spinnerOn(
  stream: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>>,
  said: string,
): ShownProgress {
  let text = said;
  // A build may have a terminal without a person. A dumb terminal cannot remove a line. Some containers and recorders
  // have a terminal without a size, on which a spinner would never end.
  const watched = stream.isTTY && env.CI === undefined && env.TERM !== "dumb";
  let over = !watched || !stream.columns;
  let spinner: Ora | undefined;
  if (!over)
    void import("ora").then(({ default: ora }) => {
      // Raw mode discards typed keys, and would discard Ctrl-C as well.
      if (!over)
        spinner = ora({
          ...(env.NO_COLOR && { color: false }),
          text,
          stream,
          isEnabled: true,
          discardStdin: false,
        }).start();
    });
  return {
    update(next) {
      text = next;
      if (spinner) spinner.text = next;
    },
    done() {
      over = true;
      spinner?.stop();
    },
  };
}
