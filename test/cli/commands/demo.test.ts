import { expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat } = terminal();

it("plat demo --console watches a server of this machine, so it rejects a deployment", async () => {
  const { exit, out, err } = await plat("demo", "--console", "--deployed", "prod");
  expect({ exit, out }).toEqual({ exit: 2, out: "" });
  expect(err).toContain("cannot be used with option");
});
