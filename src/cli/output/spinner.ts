import type { Ora } from "ora";
import type { Progress } from "../shell/io.ts";

/** A spinner where a person looks on; nothing at all in a pipe or a log. It is gone before anything else is said. */
export function spinnerOn(
  stream: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>>,
  said: string,
): Progress {
  let text = said;
  // A build may have a terminal that nobody looks at, and a dumb one cannot take a line back. A terminal may be without a
  // size, as some containers and recorders have it; there a spinner would never end.
  const watched = stream.isTTY && env.CI === undefined && env.TERM !== "dumb";
  let over = !watched || !stream.columns;
  let spinner: Ora | undefined;
  if (!over)
    void import("ora").then(({ default: ora }) => {
      // In raw mode, which discards what is typed, Ctrl-C would be discarded as well.
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
