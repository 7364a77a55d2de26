import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat, platWith } = terminal();

const POOL = JSON.stringify({
  pools: [
    {
      name: "subnet",
      cidr: "10.0.0.0/24",
      ranges: ["10.0.0.8-10.0.0.15"],
      assignmentMode: "Applications",
    },
  ],
});
const WEB = (replicas: number) =>
  `namespace: shop\nkind: Deployment\nname: web\nreplicas: ${replicas}\naddresses: {pools: [subnet]}\n`;

describe("plat application", () => {
  it("is applied from a file, shown and deleted", async () => {
    await platWith({ stdin: POOL }, "pool", "apply", "-f", "-");
    const apply = (replicas: number) =>
      platWith({ stdin: WEB(replicas) }, "application", "apply", "-f", "-");
    expect(await apply(2)).toMatchObject({
      exit: 0,
      out: "application/shop/Deployment/web created\n",
    });
    expect((await apply(2)).out).toBe("application/shop/Deployment/web unchanged\n");
    expect((await apply(4)).out).toBe("application/shop/Deployment/web configured\n");
    expect((await plat("application", "get")).out).toContain("shop/Deployment/web   4          +1");
    const one = await plat("application", "get", "shop/Deployment/web", "-o", "json");
    expect(JSON.parse(one.out).members).toHaveLength(5);
    expect((await plat("application", "delete", "shop/Deployment/web", "--yes")).out).toBe(
      'application "shop/Deployment/web" deleted\n',
    );
  });

  it("needs the namespace and the kind in its name", async () => {
    const { exit, err } = await plat("application", "get", "web");
    expect(exit).toBe(2);
    expect(err).toContain("write it as shop/Deployment/web");
  });
});
