import { describe } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { OPERATOR_KEYS } from "../../twin/callers.ts";
import { goOnTour } from "../cli/tour.ts";
import { oneIn } from "../simulation/sampled-calls.ts";

describe.runIf(emulatorBinary())("the tour on the twin of prod", () => {
  goOnTour({
    start: () => ["--deployed", "prod", "--schedule-seconds", `${oneIn(12)}`],
    arguments: ["--region", "eu-central-1"],
    variables: {
      AWS_ACCESS_KEY_ID: OPERATOR_KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: OPERATOR_KEYS.secretAccessKey,
    },
    beside: /^Assigned by: arn:aws:iam::\d{12}:user\/operator$/,
    inForceSeconds: 7,
  });
});
