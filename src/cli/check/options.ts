import { type Command, InvalidArgumentError } from "commander";
import { several } from "../invocation/options.ts";
import { usageError } from "../shell/exit.ts";
import { readInputs } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";
import type { Caution } from "./candidates.ts";
import { coversNothing, type Inventory, parseCoverage, readInventory } from "./inventory.ts";

/** The inventory options of `check` and `collect`. */
export interface InventoryOptions extends Caution {
  readonly inventory?: readonly string[];
  readonly covers?: readonly string[];
  readonly takenAt?: number;
}

/** The default grace period: the time after which Calico treats an address as leaked. */
const GRACE_SECONDS_DEFAULT = 900;
const GRACE_SECONDS_MAX = 7 * 24 * 60 * 60;
const BRAKE_PERCENT_DEFAULT = 30;

export const withInventory = (command: Command): Command =>
  command
    .option(
      "--inventory <file>",
      "Nodes and pods as `kubectl get -A -o json` or `-o yaml` prints them; - reads stdin; repeatable",
      several,
    )
    .option(
      "--covers <parts>",
      "What the inventory lists completely: nodes, pods or pods/NAMESPACE; repeatable",
      several,
    )
    .option(
      "--taken-at <time>",
      "When the inventory was taken; default: the newest time in it",
      timeText,
    )
    .option(
      "--grace-seconds <n>",
      "How long an address must have no owner before it is confirmed as leaked; 0 confirms none",
      whole(0, GRACE_SECONDS_MAX),
      GRACE_SECONDS_DEFAULT,
    )
    .option(
      "--brake-percent <n>",
      "Confirm nothing when a larger share of the addresses seems to have no owner",
      whole(0, 100),
      BRAKE_PERCENT_DEFAULT,
    );

/** Reads the files of the inventory; nothing if none is named. */
export async function inventoryOf(
  io: Io,
  { inventory: files = [], covers = [], takenAt }: InventoryOptions,
): Promise<Inventory | undefined> {
  if (files.length === 0) {
    if (covers.length > 0 || takenAt !== undefined)
      throw usageError(
        `${covers.length > 0 ? "--covers" : "--taken-at"} needs an inventory: name it with --inventory FILE.`,
      );
    return undefined;
  }
  const nowMs = io.nowMs();
  if (takenAt !== undefined && takenAt > nowMs)
    throw usageError(
      "--taken-at is in the future; it must be the time when the inventory was taken.",
    );
  return readInventory(await readInputs(io, files), parseCoverage(covers), {
    takenAtMs: takenAt,
    nowMs,
  });
}

/** Warns that an inventory covers nothing, and explains the option. */
export const sayNothingCovered = (io: Io, { covers }: Inventory): void => {
  if (!coversNothing(covers)) return;
  io.err(
    "Warning: The inventory covers nothing, so nothing can be a leak.\n  Name what it has completely, such as --covers nodes,pods or --covers pods/NAMESPACE.\n",
  );
};

function whole(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

function timeText(text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isFinite(ms)) return ms;
  throw new InvalidArgumentError("It must be a time such as 2026-01-31T12:00:00Z.");
}
