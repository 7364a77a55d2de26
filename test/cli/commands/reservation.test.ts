import { describe, expect, it } from "vitest";
import { DRY_RUN, terminal } from "../terminal.ts";

const { plat, platWith } = terminal();

describe("plat reservation", () => {
  it("is created, shown and deleted", async () => {
    const created = await plat(
      ...["reservation", "create", "gateways", "--cidr", "10.0.0.0/30,10.0.1.1"],
      ...["--cidr", "10.0.2.1-10.0.2.9", "--reason", "routers"],
    );
    expect(created).toEqual({ exit: 0, out: "ipreservation/gateways created\n", err: "" });
    expect(
      (await plat("reservation", "get", "gateways", "-o", "custom-columns=C:.cidrs[2]")).out,
    ).toBe("C\n10.0.2.1-10.0.2.9\n");
    expect((await plat("reservation", "delete", "gateways")).out).toBe(
      'ipreservation "gateways" deleted\n',
    );
    expect((await plat("reservation", "get")).out).toBe("NAME   CIDRS   REASON\n");
  });

  it("that shuts a pool is made with a warning on stderr, however it is made", async () => {
    await plat("pool", "create", "main", "--cidr", "10.0.0.0/28", "--block-size", "30");
    await plat("assign", "--host", "n1", "--ipv4", "2");
    const warning = (name: string) =>
      `Warning: Reservation ${name} covers 2 assigned addresses of pool main (10.0.0.0/28), and leaves 0 of its 16 addresses for automatic assignment.\n`;
    const create = (...more: string[]) =>
      plat("reservation", "create", "all", "--cidr", "10.0.0.0/28", ...more);
    expect(await create("--dry-run")).toEqual({
      exit: 0,
      out: "ipreservation/all created (dry run)\n",
      err: `${DRY_RUN}${warning("all")}`,
    });
    expect(await create()).toEqual({
      exit: 0,
      out: "ipreservation/all created\n",
      err: warning("all"),
    });
    const stdin =
      "apiVersion: projectcalico.org/v3\nkind: IPReservation\nmetadata: {name: more}\nspec: {reservedCIDRs: [10.0.0.0/28]}\n";
    const apply = (...more: string[]) =>
      platWith({ stdin }, "reservation", "apply", "-f", "-", ...more);
    expect((await apply("--dry-run")).err).toBe(`${DRY_RUN}${warning("more")}`);
    expect(await apply()).toMatchObject({ exit: 0, err: warning("more") });
    expect(await apply()).toMatchObject({
      out: "ipreservation/more unchanged\n",
      err: warning("more"),
    });
  });

  it("is rejected in the words of the API, and where it is there already", async () => {
    const odd = await plat("reservation", "create", "r", "--cidr", "10.0.0.300");
    expect(odd.exit).toBe(1);
    expect(odd.err).toMatch(/^Error: cidrs\[0\].*\n {2}code: invalid_request\n/s);
    await plat("reservation", "create", "r", "--cidr", "10.0.0.1");
    const again = await plat("reservation", "create", "r", "--cidr", "10.0.0.1");
    expect(again).toMatchObject({ exit: 1, out: "" });
    expect(again.err).toContain("ipreservation/r exists already");
  });
});
