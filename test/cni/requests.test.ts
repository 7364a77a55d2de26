import { describe, expect, it } from "vitest";
import type { CniError } from "../../src/cni/error.ts";
import { networkConfigurationOf } from "../../src/cni/network.ts";
import { assignRequests } from "../../src/cni/requests.ts";
import { attachmentOf } from "../../src/nouns/address/attachment.ts";

const attachment = (
  ipam: object = {},
  more: object = {},
  podName?: string,
  namespace = "shop",
) => ({
  network: networkConfigurationOf(
    { cniVersion: "1.1.0", name: "podnet", ipam: { type: "plat-cni", ...ipam }, ...more },
    [],
  ),
  host: "node-1",
  container: {
    containerId: "c1",
    ifName: "net1",
    pod: podName === undefined ? undefined : { namespace, name: podName, uid: "u1" },
    ip: undefined,
  },
});

const ips = (...addresses: string[]) => ({ runtimeConfig: { ips: addresses } });

describe("the requests of an ADD", () => {
  it("name network, host, container and interface in the handle, and all but the host in the key", () => {
    expect(assignRequests(attachment())).toMatchObject([
      {
        key: "podnet/c1/net1",
        body: {
          host: "node-1",
          handle: "cni/podnet/node-1/c1/net1",
          network: "podnet",
          attributes: { network: "podnet", containerId: "c1", ifName: "net1" },
          ipv4: 1,
          ipv6: 0,
          pools: [],
          ipv4Pools: [],
          ipv6Pools: [],
          defaultPools: [],
          ipv4DefaultPools: [],
          ipv6DefaultPools: [],
        },
      },
    ]);
  });

  it("are one for each specific address and one of each family, limited to all that the ADD asks for, and have no key", () => {
    const requests = assignRequests(
      attachment({ ipv4: 3, ipv6: 1 }, ips("10.0.0.7/24", "10.0.0.8")),
    );
    expect(
      requests.map(({ key, body: { address, ipv4, ipv6, limitPerHandle } }) => ({
        ...{ key, address, ipv4, ipv6, limitPerHandle },
      })),
    ).toEqual([
      { address: "10.0.0.7", limitPerHandle: 3 },
      { address: "10.0.0.8", limitPerHandle: 3 },
      { ipv4: 3, limitPerHandle: 3 },
      { ipv6: 1, limitPerHandle: 1 },
    ]);
  });

  it("are one under a key of its own for a single specific address", () => {
    const [request, ...others] = assignRequests(attachment({}, ips("FD00::7"), undefined));
    expect(others).toHaveLength(1);
    const [alone] = assignRequests(attachment({ ipv4: 0 }, ips("FD00::7")));
    expect([request?.key, alone?.key]).toEqual([undefined, "podnet/c1/net1/fd00::7"]);
  });

  it("are one under a key for a specific address of each family, all or nothing", () => {
    const both = { ipv6: 1, ...{ keep: true } };
    const [request, ...others] = assignRequests(
      attachment({ ipv6: 1 }, ips("FD00::7", "10.0.0.7")),
    );
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      key: "podnet/c1/net1/fd00::7/10.0.0.7",
      body: { addresses: ["fd00::7", "10.0.0.7"] },
      afterDel: [
        { address: "10.0.0.7", limitPerHandle: 1 },
        { address: "fd00::7", limitPerHandle: 1 },
      ],
    });
    expect(assignRequests(attachment(both, ips("FD00::7", "10.0.0.7"), "db-0"))).toMatchObject([
      { body: { addresses: ["fd00::7", "10.0.0.7"], workload: { instance: "db-0.net1" } } },
    ]);
  });

  it("name no network whose name Plat does not accept", () => {
    const [request] = assignRequests(attachment({}, { name: "Pod_Net" }));
    expect(request?.body).not.toHaveProperty("network");
    expect(request?.key).toBe("Pod_Net/c1/net1");
  });

  it("name the namespace of Kubernetes, and none that Plat does not accept, such as a container's name from Podman", () => {
    const [ofPod] = assignRequests(attachment({}, {}, "web"));
    expect(ofPod?.body).toMatchObject({ namespace: "shop" });
    const [ofContainer] = assignRequests(attachment({ keep: true }, {}, "my_app-1", "my_app-1"));
    expect(ofContainer?.body).not.toHaveProperty("namespace");
    expect(ofContainer?.body).not.toHaveProperty("workload");
    expect(ofContainer?.body.attributes).toMatchObject({ namespace: "my_app-1", pod: "my_app-1" });
  });

  it("name an instance in the place of handle and key, if the network keeps addresses", () => {
    const [request] = assignRequests(attachment({ keep: true }, {}, "db-10"));
    expect(request?.key).toBeUndefined();
    expect(request?.body).not.toHaveProperty("handle");
    expect(request?.body).toMatchObject({
      namespace: "shop",
      workload: { kind: "StatefulSet", name: "db", instance: "db-10.net1", uid: "c1" },
    });
  });

  it.each(["web", "web-x2x9z", "db-01", "-1"])("take the pod %s for no instance", (name) => {
    const [request] = assignRequests(attachment({ keep: true }, {}, name));
    expect(request?.body).not.toHaveProperty("workload");
  });

  it("are one for an instance, because it has one allocation", () => {
    const both = attachment({ keep: true, ipv4: 2 }, ips("10.0.0.7"), "db-0");
    expect(() => assignRequests(both)).toThrow(/not both/);
  });
});

describe("the requests of an ADD after a DEL of the same container", () => {
  it("are limited by family to what the ADD asks for", () => {
    const [request] = assignRequests(attachment({ ipv4: 3, ipv6: 1 }));
    expect(
      request?.afterDel.map(({ ipv4, ipv6, limitPerHandle }) => ({ ipv4, ipv6, limitPerHandle })),
    ).toEqual([
      { ipv4: 3, limitPerHandle: 3 },
      { ipv6: 1, limitPerHandle: 1 },
    ]);
  });
});

describe("the handle of an attachment", () => {
  it("is read back by its own network and host only", () => {
    const handle = "cni/podnet/node-1/c1/net1";
    expect(attachmentOf(handle, "podnet", "node-1")).toEqual({ containerId: "c1", ifName: "net1" });
    expect(attachmentOf(handle, "pod", "node-1")).toBeUndefined();
    expect(attachmentOf(handle, "podnet", "node")).toBeUndefined();
    // A host whose name has a slash is not taken for a container.
    expect(attachmentOf("cni/podnet/rack/7/c1/net1", "podnet", "rack")).toBeUndefined();
  });
});

describe("a network configuration", () => {
  const errorOf = (ipam: object): CniError => {
    try {
      attachment(ipam);
    } catch (error) {
      return error as CniError;
    }
    throw new Error("it is valid");
  };

  it("names pools in one way", () => {
    const { code, message } = errorOf({ pools: ["a"], ipv4Pools: ["b"] });
    expect({ code, message }).toEqual({
      code: 7,
      message:
        "The network configuration is not valid: ipam.pools excludes ipv4Pools and ipv6Pools; send one list for both families, or theirs.",
    });
  });

  it("has no field that the plugin does not know", () => {
    expect(errorOf({ subnet: "10.0.0.0/24" }).code).toBe(2);
  });
});
