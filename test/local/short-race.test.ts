import "./silent.ts";
import { expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { expectResumedRace } from "./resumed-race.ts";

const OPERATIONS = 800;
const KILLS = 2;
/** Many times the duration on an otherwise idle machine. */
const TEST_MS_MAX = 300_000;

it.runIf(emulatorBinary())(
  `${OPERATIONS} operations of 64 callers and ${KILLS} kills -9: no address is given twice, and none is lost`,
  async () => {
    await expect(expectResumedRace(OPERATIONS, KILLS)).resolves.toBeUndefined();
  },
  TEST_MS_MAX,
);
