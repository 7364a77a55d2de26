#!/usr/bin/env node
import { hostname } from "node:os";
import { text } from "node:stream/consumers";
import { connect } from "./connection.ts";
import { AGENT_FIELDS } from "./network.ts";
import { run } from "./run.ts";

/** The CNI plugin `plat-cni`. */
void run({
  variables: process.env,
  stdin: () => text(process.stdin),
  hostname: hostname(),
  without: AGENT_FIELDS,
  connect,
}).then(({ exit, out }) => {
  process.exitCode = exit;
  process.stdout.write(out);
});
