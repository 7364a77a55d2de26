#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type AgentFiles, assertConflist, runAgent } from "./agent.ts";
import { chartFiles } from "./chart.ts";
import { choicesIn, HELP, readCommandLine, type Values } from "./command-line.ts";
import { readConfig } from "./config.ts";
import { kubeApi, podIdentity } from "./kube/api.ts";
import type { Waits } from "./kube/waits.ts";
import {
  AGENT_PORT,
  CLUSTERCTL_VARIABLES,
  type ManifestOptions,
  manifest,
  OptionError,
  PORT,
  providerFiles,
} from "./manifest.ts";
import { runController } from "./run.ts";

const WAITS: Waits = {
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
  random: Math.random,
};

const log = (message: string, about: Readonly<Record<string, unknown>> = {}) =>
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), message, ...about })}\n`,
  );

/** Returns the choices for the manifest that options say. @throws {OptionError} if they exclude each other */
async function manifestOptions(values: Values, endpoint: string): Promise<ManifestOptions> {
  const agent = values.agent === undefined ? "" : await readConflist(values.agent);
  return choicesIn(values, { endpoint, agent });
}

/** Reads a list of plugins for an agent. @throws {Error} if it is none */
async function readConflist(file: string): Promise<string> {
  const conflist = await readFile(file, "utf8");
  assertConflist(conflist, file);
  return conflist;
}

/** Returns the path of the plugin that is made with this program, for the processor of this machine. */
function pluginBeside(): string {
  const processor = process.arch === "x64" ? "amd64" : process.arch;
  return fileURLToPath(new URL(`plugin/plat-cni-linux-${processor}`, import.meta.url));
}

/** Writes files below a folder, and prints their paths. */
async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = resolve(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    process.stdout.write(`${file}\n`);
  }
}

/** Carries out the command. @throws {Error} with a message for its user */
async function main(args: readonly string[]): Promise<void> {
  const line = readCommandLine(args);
  switch (line.command) {
    case "help":
      return void process.stdout.write(HELP);
    case "manifest": {
      const options = await manifestOptions(line.values, line.values.endpoint);
      return void process.stdout.write(manifest(options));
    }
    case "components": {
      const { endpoint, space } = { ...CLUSTERCTL_VARIABLES, ...line.values };
      const said = { ...line.values, space, "cluster-api": true, "no-nodes": true };
      const options = await manifestOptions(said, endpoint);
      return writeFiles(line.values.directory, providerFiles(options));
    }
    case "chart":
      return writeFiles(line.values.directory, chartFiles());
    case "run": {
      const { config, pod, ...world } = await worldOf(line.values, PORT);
      const identity = `${hostname()}_${randomBytes(4).toString("hex")}`;
      return runController(config, { ...world, pod, identity }, endingSignal());
    }
    case "agent": {
      const { config, pod, ...world } = await worldOf(line.values, AGENT_PORT);
      const { node, agent, folder, plugins, conflists, plugin = pluginBeside() } = line.values;
      const files: AgentFiles = { folder, plugin, plugins, conflist: agent, conflists };
      return runAgent(config, { ...world, api: kubeApi(pod), node, files }, endingSignal());
    }
  }
}

/** Returns what a pod works with: its configuration, its identity and its surroundings. */
async function worldOf(values: Values & { readonly config: string }, portDefault: number) {
  const { listen = `:${portDefault}` } = values;
  const place = /^(.*):(\d{1,5})$/.exec(listen);
  if (!place)
    throw new OptionError(
      `--listen is ${listen}; it must be HOST:PORT, or :PORT for every address.`,
    );
  const [, host = "", port] = place;
  return {
    config: await readConfig(values.config),
    pod: await podIdentity(process.env, values["service-account"]),
    ...{ listen: { host, port: Number(port) }, waits: WAITS, log },
  };
}

/** Returns a signal that ends a process as its kubelet and Ctrl-C do. */
function endingSignal(): AbortSignal {
  const ending = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => ending.abort());
  return ending.signal;
}

const [FAILED, WRONG_OPTIONS] = [1, 2];

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(error instanceof OptionError ? WRONG_OPTIONS : FAILED);
  },
);
