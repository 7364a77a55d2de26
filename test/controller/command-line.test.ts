import { expect, it } from "vitest";
import { readCommandLine } from "../../src/controller/command-line.ts";

const RUN = ["run", "--config", "c.yaml"];
const MANIFEST = ["manifest", "--endpoint", "https://plat.example"];
const CHART = ["chart", "--directory", "charts"];
const AGENT = ["agent", "--config", "c.yaml", "--node", "node-1", "--agent", "a.conflist"];

it.each([
  ["run", RUN],
  ["run", ["--config", "c.yaml", "run", "--listen", ":1", "--service-account", "sa"]],
  ["manifest", [...MANIFEST, "--observe", "--agent", "a.conflist", "--namespace", "n"]],
  ["components", ["components", "--directory", "d", "--region", "eu-west-1", "--image", "r.io/i"]],
  ["chart", CHART],
  ["agent", [...AGENT, "--plugin", "p", "--plugins", "d", "--conflists", "d", "--folder", "d"]],
  ["help", ["run", "--help"]],
])("the command %s takes its options: %j", (command, args) => {
  expect(readCommandLine(args).command).toBe(command);
});

it.each([
  [[...RUN, "--observe"], "--observe is not an option of run, which has --config, --service"],
  [[...RUN, "--no-nodes"], "--no-nodes is not an option of run"],
  [[...RUN, "--space", "s"], "--space is not an option of run"],
  [[...RUN, "--agent", "a"], "--agent is not an option of run"],
  [[...MANIFEST, "--config", "c.yaml"], "--config is not an option of manifest"],
  [[...CHART, "--namespace", "n"], "--namespace is not an option of chart"],
  [[...CHART, "--image", "plat-controller:1"], "--image is not an option of chart"],
  [[...AGENT, "--lifecycle"], "--lifecycle is not an option of agent"],
  [[...RUN, "--observed"], "Unknown option '--observed'"],
  [["run"], "run needs --config."],
  [["agent", "--config", "c.yaml"], "agent needs --node, --agent."],
  [["components"], "components needs --directory."],
  [["toString"], "Usage:"],
  [[...RUN, "twice"], "Usage:"],
  [[], "Usage:"],
])("options that a command does not take are an error: %j", (args, message) => {
  expect(() => readCommandLine(args)).toThrow(
    expect.objectContaining({ name: "OptionError", message: expect.stringContaining(message) }),
  );
});
