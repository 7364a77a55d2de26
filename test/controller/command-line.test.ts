import { expect, it } from "vitest";
import { choicesIn, readCommandLine } from "../../src/controller/command-line.ts";

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

/** Returns the choices for the manifest with some more options. */
function chosenBy(...options: readonly string[]) {
  const line = readCommandLine([...MANIFEST, ...options]);
  if (line.command !== "manifest") throw new Error(`The command is ${line.command}`);
  return choicesIn(line.values, { endpoint: line.values.endpoint, agent: "" });
}

it("the options about CiliumNodes are choices for the manifest, and nothing is said without them", () => {
  const said = ["--cilium-families", "4,6", "--cilium-release-after", "180"];
  const more = [...said, "--cilium-withdraw-after", "0"];
  expect(chosenBy("--cilium", "crd", ...more)).toMatchObject({
    nodes: "observe",
    cilium: "crd",
    ciliumFamilies: "4,6",
    ciliumReleaseAfterSeconds: 180,
    ciliumWithdrawAfterSeconds: 0,
  });
  expect(chosenBy("--cilium", "kubernetes")).toMatchObject({
    nodes: "write",
    ciliumFamilies: "",
    ciliumReleaseAfterSeconds: "",
    ciliumWithdrawAfterSeconds: "",
  });
});

const NEED_CILIUM =
  "--cilium-families, --cilium-release-after and --cilium-withdraw-after need --cilium";

it.each([
  [["--cilium", "eni"], "--cilium is eni; it must be cluster-pool or kubernetes or"],
  [["--collect-pods", "all"], "--collect-pods is all; it must be report or release."],
  [["--no-nodes", "--observe"], "--no-nodes excludes --observe, which is about Nodes."],
  [
    ["--cilium", "kubernetes", "--cilium-families", "6,4"],
    "--cilium-families is 6,4; it must be 4 or 6 or 4,6.",
  ],
  [
    ["--cilium", "crd", "--cilium-release-after", "3m"],
    "--cilium-release-after is 3m; it must be a whole number of seconds from 0 to 3600.",
  ],
  [
    ["--cilium", "crd", "--cilium-withdraw-after", "3601"],
    "--cilium-withdraw-after is 3601; it must be a whole number of seconds from 0 to 3600.",
  ],
  [["--cilium-families", "4"], NEED_CILIUM],
  [["--cilium-release-after", "4"], NEED_CILIUM],
  [["--cilium-withdraw-after", "4"], NEED_CILIUM],
])(
  "options for the manifest that say nothing, or exclude each other, are an error: %j",
  (options, message) => {
    expect(() => chosenBy(...options)).toThrow(
      expect.objectContaining({ name: "OptionError", message: expect.stringContaining(message) }),
    );
  },
);
