import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat, server } = terminal();

describe("plat pool get", () => {
  it("shows the pools of the space as a table", async () => {
    await fetch(`${server().url}/v1/pools/web?space=test-1`, {
      method: "PUT",
      body: JSON.stringify({ cidr: "10.0.0.0/16" }),
      headers: { "content-type": "application/json" },
    });
    expect(await plat("pool", "get")).toEqual({
      exit: 0,
      out: "NAME   CIDR          BLOCKSIZE   DISABLED\nweb    10.0.0.0/16   26          false\n",
      err: "",
    });
  });

  it("says the problem's code of a pool that is not there, and exits with 1", async () => {
    const { exit, err } = await plat("pool", "get", "nope");
    expect(exit).toBe(1);
    expect(err).toMatch(/^plat: not_found: /);
  });
});
