import { afterAll, beforeAll, beforeEach } from "vitest";
import { connect } from "../../src/cni/connection.ts";
import { AGENT_FIELDS } from "../../src/cni/network.ts";
import { run } from "../../src/cni/run.ts";
import type { LocalPlat } from "../../src/local/plat.ts";
import { call } from "../local/process.ts";
import { unhurriedPlat } from "../local/unhurried-plat.ts";

/** What a runtime passes to a plugin in the environment. */
export interface Given {
  readonly containerId?: string;
  readonly ifName?: string;
  readonly args?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The end of a command: the printed object, if there is one. */
export interface Ended {
  readonly exit: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it field by field
  readonly out: any;
}

/** Returns the variables that a runtime sets. */
export const variablesOf = (command: string, given: Given = {}): Record<string, string> => ({
  CNI_COMMAND: command,
  ...(given.containerId !== undefined && { CNI_CONTAINERID: given.containerId }),
  CNI_IFNAME: given.ifName ?? "eth0",
  CNI_ARGS: given.args ?? "",
  ...given.env,
});

/** Returns the `CNI_ARGS` of a pod in the namespace `shop`. */
export const podArgs = (name: string, uid = `uid-of-${name}`): string =>
  `IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=${name};K8S_POD_INFRA_CONTAINER_ID=x;K8S_POD_UID=${uid}`;

/** A running server, an address space for each test, and the plugin in this process. */
export function plugin() {
  let server: LocalPlat;
  let tests = 0;
  beforeAll(async () => {
    server = await unhurriedPlat();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    tests++;
  });
  const space = () => `test-${tests}`;
  /** A network configuration of this test. */
  const network = (ipam: object = {}, more: object = {}) => ({
    cniVersion: "1.1.0",
    name: "podnet",
    type: "bridge",
    ipam: { type: "plat-cni", endpoint: server.url, space: space(), host: "node-1", ...ipam },
    ...more,
  });
  return {
    network,
    url: () => server.url,
    /** Calls the API in the space of this test. */
    api: async (method: string, path: string, body?: unknown) =>
      (await call(server.url, method, `/v1/spaces/${space()}/${path}`, body)).body,
    async cni(command: string, config: unknown, given: Given = {}): Promise<Ended> {
      const { exit, out } = await run({
        variables: variablesOf(command, given),
        stdin: async () => (typeof config === "string" ? config : JSON.stringify(config)),
        hostname: "host-of-the-kernel",
        without: AGENT_FIELDS,
        connect,
      });
      return { exit, out: out === "" ? undefined : JSON.parse(out) };
    },
  };
}

/** Returns the one address of a result, without its prefix length. */
export const addressOf = ({ out }: Ended): string => out.ips[0].address.replace(/\/.*/, "");
