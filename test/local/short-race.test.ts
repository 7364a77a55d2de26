import "./silent.ts";
import { expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { expectResumedRace } from "./resumed-race.ts";

const OPERATIONS = 400;
const KILLS = 2;

it.runIf(emulatorBinary())(
  `${OPERATIONS} operations of 64 callers and ${KILLS} kills -9: no address is given twice, and none is lost`,
  async () => {
    await expect(expectResumedRace(OPERATIONS, KILLS)).resolves.toBeUndefined();
  },
);
