import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { SUITES, VITEST } from "./suites.ts";

it.each(SUITES.flatMap(({ files }) => files))(
  "the program that takes clauses out finds tests in %s",
  (path) => {
    const { program, config } = VITEST;
    const list = [program, "list", "--filesOnly", config, path];
    const { stdout } = spawnSync(process.execPath, list, { encoding: "utf8" });
    expect(stdout).toContain(path);
  },
);
