import type { Waits } from "../../src/controller/kube/waits.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** Returns the clock of a controller that jumps, without chance. */
export const waitsOf = (clock: VirtualClock): Waits => ({
  now: clock.now,
  random: () => 0,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = () => resolve();
      signal.addEventListener("abort", end, { once: true });
      void clock.sleep(ms).then(() => {
        signal.removeEventListener("abort", end);
        resolve();
      });
    }),
});
