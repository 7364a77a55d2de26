import type { Ora } from "ora";
import type { Progress } from "./io.ts";

/** A spinner where a person looks on; nothing at all in a pipe or a log. It is gone before anything else is said. */
export function spinnerOn(stream: NodeJS.WriteStream, said: string): Progress {
  let text = said;
  // A terminal may be without a size, as some containers and recorders have it; there a spinner would never end.
  let over = !stream.isTTY || !stream.columns;
  let spinner: Ora | undefined;
  if (!over)
    void import("ora").then(({ default: ora }) => {
      if (!over) spinner = ora({ text, stream }).start();
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
