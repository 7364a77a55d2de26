import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { bundledProgram } from "../programs.ts";

it.each([[[]], [["--console"]]])(
  "the demo rejects the endpoint of a DynamoDB, because it fills a table of its own: %j",
  async (args) => {
    const env = { ...process.env, DYNAMODB_ENDPOINT: "http://127.0.0.1:8000" };
    const program = await bundledProgram("src/cli/main.ts");
    const ended = await new Promise((resolve) => {
      execFile(process.execPath, [program, "demo", ...args], { env }, (error, out, errors) =>
        resolve({ code: error?.code, out, errors }),
      );
    });
    expect(ended).toEqual({
      code: 2,
      out: "",
      errors:
        "The demo keeps data of its own, and DYNAMODB_ENDPOINT is set to http://127.0.0.1:8000; unset it.\n",
    });
  },
);

it.each(["SIGINT", "SIGTERM"] as const)(
  "the demo removes its data when %s ends it",
  async (signal) => {
    const program = await bundledProgram("src/cli/main.ts");
    const demo = spawn(process.execPath, [program, "demo"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let data: string | undefined;
    let output = "";
    for await (const chunk of demo.stdout) {
      output += chunk;
      [, data] = /Data is kept in (.*)\.\n/.exec(output) ?? [];
      if (data !== undefined) break;
    }
    const ended = once(demo, "exit");
    demo.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(existsSync(String(data))).toBe(false);
  },
);
