import { describe, expect, it } from "vitest";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";

const shell = terminal();
const { plat } = shell;
const pool = spaceWithPool(shell);

const IP = "10.0.0.1";
const UNTIL = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

describe("plat address list", () => {
  it("finds the addresses that meet all conditions, and says in its document what was read", async () => {
    await pool();
    const assign = (ip: string, tenant: string) =>
      plat("assign", "--host", "n1", "--address", ip, "--attribute", `tenant=${tenant}`);
    await assign(IP, "red");
    await assign("10.0.0.2", "blue");
    const { exit, out } = await plat("address", "list", "--host", "n1");
    expect(exit).toBe(0);
    expect(out).toMatch(/^ADDRESS +STATE +HANDLE +HOST +POOL\n10\.0\.0\.1 .*\n10\.0\.0\.2 .*\n$/);
    const red = ["--pool", "main", "--attribute", "tenant=red"];
    expect((await plat("address", "list", ...red, "-o", "name")).out).toBe(`${IP}\n`);
    const { out: json } = await plat("address", "get", ...red, "-o", "json");
    expect(JSON.parse(json)).toMatchObject({
      addresses: [{ address: IP, attributes: { tenant: "red" } }],
      read: { by: "pool", blocks: 1, allocations: 2 },
    });
  });

  it("notes that nothing meets the conditions, and rejects conditions beside an address", async () => {
    await pool();
    const none = await plat("address", "list", "--state", "cooling");
    expect(none).toMatchObject({ exit: 0, err: expect.stringContaining("no addresses found") });
    const both = await plat("address", "get", IP, "--pool", "main");
    expect(both).toMatchObject({ exit: 2, err: expect.stringContaining("filter lists") });
    expect((await plat("address", "list", "--state", "free")).exit).toBe(2);
  });
});

describe("plat address conflict", () => {
  it("says until when nobody gets the address, as every read of it does", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--address", IP, "--handle", "web");
    const { exit, out } = await plat("address", "conflict", IP, "--handle", "web");
    expect(exit).toBe(0);
    const [until] = UNTIL.exec(out) ?? [];
    expect(out).toBe(`${IP} is in quarantine until ${until}\n`);
    expect((await plat("show", "--ip", IP)).out).toBe(
      `IP ${IP} is in quarantine until ${until}, because something else uses it\nReported by handle: web\n`,
    );
    const { out: preview } = await plat("release", "--ip", IP, "--dry-run", "-o", "json");
    expect(preview).toContain(`It is in quarantine until ${until}.`);
    const { out: shown } = await plat("address", "get", IP, "-o", "json");
    expect(JSON.parse(shown)).toMatchObject({ state: "quarantined", quarantinedUntil: until });
    const { exit: rejected, err } = await plat("assign", "--host", "n1", "--address", IP);
    expect(rejected).toBe(1);
    expect(err).toContain("code: address_quarantined");
  });

  it("needs a proof", async () => {
    const { exit, err } = await plat("address", "conflict", IP);
    expect(exit).toBe(2);
    expect(err).toContain("--handle or --generation");
  });
});

describe("plat address lift", () => {
  it("ends the quarantine, and says until when the address cools", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--address", IP, "--handle", "web");
    await plat("address", "conflict", IP, "--handle", "web");
    const { exit, out } = await plat("address", "lift", IP);
    expect(exit).toBe(0);
    expect(out).toMatch(/^10\.0\.0\.1 is no longer in quarantine; it cools until .*Z\n$/);
  });

  it("exits with 1 where the address is in no quarantine", async () => {
    await pool();
    const { exit, err } = await plat("address", "lift", IP);
    expect(exit).toBe(1);
    expect(err).toContain("code: not_found");
  });
});
