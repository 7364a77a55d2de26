import { expect, it } from "vitest";
import { asksForDeployed } from "../../src/local/deployed.ts";
import { readTwinOptions } from "../../twin/options.ts";

const read = (line: string) => readTwinOptions(line.split(" "));

it.each([
  ["--deployed", { environment: "prod", port: 8787, data: undefined, scheduleSeconds: undefined }],
  ["--deployed dev", { environment: "dev" }],
  ["--deployed=dev --port 0", { environment: "dev", port: 0 }],
  ["--port 1 --deployed --data here", { environment: "prod", port: 1, data: "here" }],
  ["--deployed prod --schedule-seconds 1", { environment: "prod", scheduleSeconds: 1 }],
])("%s", (line, options) => {
  expect(asksForDeployed(line.split(" "))).toBe(true);
  expect(read(line)).toMatchObject(options);
});

it("only helps where help is wanted", () => {
  expect(read("--deployed --help")).toBeUndefined();
});

it.each([
  ["--deployed test", '--deployed is "test"; it must be dev or prod, or nothing for prod.'],
  ["--deployed --reclaim-seconds 1", /Unknown option '--reclaim-seconds'; --deployed --help/],
  ["--deployed --schedule-seconds 0", /--schedule-seconds is "0"; it must be a whole number/],
  ["--deployed --data=", "--data must name a directory."],
])("%s is rejected: %s", (line, problem) => {
  expect(() => read(line)).toThrow(problem);
});
