import type { ComponentChildren, VNode } from "preact";
import { describe, expect, it } from "vitest";
import type { Act } from "../../../console/src/acts/act.ts";
import { actsOnHandle, releaseHost } from "../../../console/src/acts/addresses.tsx";
import type { Api } from "../../../console/src/api/api.ts";
import type { HeldAddress } from "../../../console/src/api/types.ts";

/** Returns the text of what a dialog shows. */
const textIn = (shown: ComponentChildren): string =>
  Array.isArray(shown)
    ? shown.map(textIn).join("")
    : typeof shown === "object" && shown !== null && "props" in shown
      ? textIn((shown as VNode<{ readonly children?: ComponentChildren }>).props.children)
      : typeof shown === "string" || typeof shown === "number"
        ? String(shown)
        : "";

/** An API that answers each request with the next of these bodies. */
function apiAnswering(...bodies: readonly unknown[]): Api {
  const left = [...bodies];
  const next = () => Promise.resolve(left.shift());
  return { get: next, send: next } as unknown as Api;
}

const previewOf = async (act: Act) => textIn(await act.preview?.({}));
const resultOf = async (act: Act) => textIn(await act.perform({}, () => {}, "key"));

const workload = { namespace: "shop", kind: "StatefulSet", name: "web", instance: "0", uid: "u" };
const held = (address: string, others: Partial<HeldAddress> = {}) =>
  ({ address, state: "assigned", generation: "g", ...others }) as HeldAddress;
const ofNode = (address: string, others: Partial<HeldAddress> = {}) =>
  held(address, { generation: undefined, ...others });

describe("a release of a host", () => {
  const NODE = { name: "node-1", type: "host" } as const;

  it("shows apart what instances may keep, and what only other routes release", async () => {
    const addresses = [
      held("10.0.0.1"),
      held("10.0.0.2", { workload }),
      ofNode("10.0.0.3", { handle: "cilium/node-1/u" }),
      ofNode("10.0.1.0", { prefix: "10.0.1.0/24" }),
    ];
    const text = await previewOf(releaseHost(apiAnswering({ addresses }), NODE));
    expect(text).toContain("It releases 1 address: 10.0.0.1");
    expect(text).toContain("They have 1 address: 10.0.0.2");
    expect(text).toContain("These stay, because other routes release them: 10.0.0.3, 10.0.1.0/24");
  });

  it("counts and names the addresses of all pages", async () => {
    const some = Array.from({ length: 25 }, (_, i) => held(`10.0.0.${i + 1}`));
    const pages = [
      { addresses: some, next: "a" },
      { addresses: [held("10.0.0.26"), held("10.0.0.27", { workload })], next: "b" },
      { addresses: [ofNode("10.0.0.28", { handle: "cilium/node-1/u" })] },
    ];
    const text = await previewOf(releaseHost(apiAnswering(...pages), NODE));
    expect(text).toMatch(/^It releases 26 addresses: 10\.0\.0\.1, .*, …/);
    expect(text).toContain("They have 1 address: 10.0.0.27");
    expect(text).toContain("These stay, because other routes release them: 10.0.0.28");
  });

  it("says of a host with more pages than it reads that it has not looked at all addresses", async () => {
    const pages = Array.from({ length: 21 }, (_, i) => ({
      addresses: [held(`10.0.0.${i + 1}`), held(`10.0.1.${i + 1}`, { workload })],
      next: "a",
    }));
    const text = await previewOf(releaseHost(apiAnswering(...pages), NODE));
    expect(text).toContain(
      "These are of the first 40 addresses of the host, and it may have more.",
    );
    expect(text).toContain("It releases at least 20 addresses: 10.0.0.1, ");
    expect(text).toContain("They have at least 20 addresses: 10.0.1.1, ");
  });

  it("names what instances kept, each once", async () => {
    const api = apiAnswering(
      { released: [], kept: ["10.0.0.2"], complete: false, progressed: true },
      { released: ["10.0.0.1"], kept: ["10.0.0.2", "10.0.0.3"], complete: true, progressed: true },
    );
    const text = await resultOf(releaseHost(api, NODE));
    expect(text).toContain("1 address is released.");
    expect(text).toContain("keep theirs for their next incarnation: 10.0.0.2, 10.0.0.3");
  });
});

describe("a release of a handle", () => {
  it("is of the handle, if callers name it", async () => {
    const { release } = actsOnHandle(apiAnswering(), "web", [held("10.0.0.1")]);
    expect(release?.inShell?.({}, "key").request).toEqual({
      method: "DELETE",
      path: "handles/web",
    });
  });

  it("of an instance is of the uid that was read", async () => {
    const handle = "workload/shop/StatefulSet/web/0";
    const api = apiAnswering({ released: ["10.0.0.1"], kept: [] }, { released: [], kept: [] });
    const { release } = actsOnHandle(api, handle, [held("10.0.0.1", { workload })]);
    if (!release) throw new Error("the handle has no act");
    expect(release.inShell?.({}, "key")).toEqual({
      plat: [
        ...["release", "--namespace", "shop", "--workload", "StatefulSet/web/0"],
        ...["--uid", "u"],
      ],
      request: {
        method: "POST",
        path: "release",
        body: {
          namespace: "shop",
          workload: { kind: "StatefulSet", name: "web", instance: "0", uid: "u" },
        },
      },
    });
    expect(await resultOf(release)).toBe("1 address is released.");
    expect(await resultOf(release)).toContain("The instance has none under the uid u any more.");
  });

  it.each([
    ["cilium/node-1/u", ofNode("10.0.0.3")],
    ["node/node-1/u", ofNode("10.0.1.0", { prefix: "10.0.1.0/24" })],
    ["prefix/web", ofNode("10.0.1.0", { prefix: "10.0.1.0/24" })],
  ])("is not offered for %s, whose addresses other routes release", (handle, address) => {
    expect(actsOnHandle(apiAnswering(), handle, [address])).toEqual({});
  });

  it("is not offered for a handle without addresses", () => {
    expect(actsOnHandle(apiAnswering(), "web", [])).toEqual({});
  });
});
