import { type Api, segment } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";
import type { AddressRead, Answer, HeldAddress, HostType, Pool } from "../api/types.ts";
import { heldText } from "../network/cidr.ts";
import { Moment } from "../parts/moment.tsx";
import { Named } from "../parts/to.tsx";
import { type Act, type ActsOfPage, attributesIn, type Input, InvalidInput } from "./act.ts";
import { amendments } from "./amendments.tsx";

/** Returns what can be done with an address in its state. */
export function actsOn(api: Api, address: AddressRead): ActsOfPage {
  const { state, generation } = address;
  if (state === "free") return { assign: assign(api, address) };
  if (state === "quarantined") return { lift: lift(api, address) };
  if (generation === undefined || state !== "assigned") return {};
  return {
    release: release(api, address, generation),
    quarantine: quarantine(api, address, generation),
    ...amendments(api, address, generation),
  };
}

const assign = (api: Api, { address, pool }: AddressRead): Act =>
  assigning(api, {
    title: `Assign ${address}`,
    intro: `Assigns this address of the pool ${pool} to a handle on a host.`,
    body: { address },
    words: ["--address", address],
  });

/** Returns the act that assigns the next free address of a pool. */
export const assignFrom = (api: Api, { name, cidr }: Pool): Act => {
  const family = cidr.includes(":") ? "ipv6" : "ipv4";
  return assigning(api, {
    title: `Assign an address of the pool ${name}`,
    intro: "Assigns the next free address of the pool to a handle on a host.",
    body: { [family]: 1, pools: [name] },
    words: [`--${family}`, "1", "--pool", name],
  });
};

/** The addresses that an assign asks for: as fields of the request, and as options of the command. */
interface Wanted extends Pick<Act, "title" | "intro"> {
  readonly body: object;
  readonly words: readonly string[];
}

const assigning = (api: Api, { title, intro, body, words }: Wanted): Act => {
  const requestOf = (input: Input, key: string) =>
    ({ method: "POST", path: "assign", body: bodyOf(body, input), key }) as const;
  return {
    label: "Assign",
    isMain: true,
    title,
    verb: "Assign",
    intro,
    fields: [
      {
        name: "handle",
        label: "Handle",
        kind: "text",
        isRequired: true,
        hint: "A name of your choice, by which you find and release the address",
      },
      { name: "host", label: "Host", kind: "text", isRequired: true },
      {
        name: "attributes",
        label: "Attributes",
        kind: "lines",
        hint: "One per line, such as pod=web-0",
      },
    ],
    async preview(input) {
      const { rejection, families } = await api.send<Answer<"explanation">>({
        method: "POST",
        path: "assign",
        query: { dryRun: "true" },
        body: bodyOf(body, input),
      });
      if (rejection) throw new InvalidInput(`${rejection.detail} (${rejection.code})`);
      const steps = families.flatMap(({ blocks }) => blocks);
      return (
        <ul>
          {steps.map(({ action, block }) => (
            <li key={block}>
              {action === "claim"
                ? `The host claims the block ${block}, and takes the address from it.`
                : `The host takes the address from the block ${block} (${action}).`}
            </li>
          ))}
        </ul>
      );
    },
    inShell(input, key) {
      const { handle = "", host = "" } = input;
      const attributes = attributesIn(input, "attributes").flatMap((pair) => [
        "--attribute",
        pair.join("="),
      ]);
      return {
        plat: ["assign", "--host", host, "--handle", handle, ...words, ...attributes],
        request: requestOf(input, key),
      };
    },
    async perform(input, _, key) {
      const { addresses } = await api.send<Answer<"assignment">>(requestOf(input, key));
      return (
        <>
          {addresses.map(({ address }) => (
            <p key={address}>
              <Named kind="address" name={address} /> is assigned to{" "}
              <Named kind="handle" name={input.handle ?? ""} />.
            </p>
          ))}
        </>
      );
    },
  };
};

const bodyOf = (body: object, input: Input) => ({
  ...body,
  handle: input.handle,
  host: input.host,
  attributes: Object.fromEntries(attributesIn(input, "attributes")),
});

const releaseOf = (address: string, generation: string) =>
  ({ method: "POST", path: "release", body: { addresses: [{ address, generation }] } }) as const;

const release = (api: Api, { address, handle }: AddressRead, generation: string): Act => ({
  label: "Release",
  title: `Release ${address}`,
  verb: "Release the address",
  intro: (
    <>
      Takes the address from {handle === undefined ? "its owner" : <b>{handle}</b>}. Others can get
      it after the cooldown. This can never release a later assignment.
    </>
  ),
  typed: address,
  inShell: () => ({
    plat: ["release", "--ip", address, "--generation", generation],
    request: releaseOf(address, generation),
  }),
  async perform() {
    const { results } = await api.send<Answer<"addressesReleased">>(releaseOf(address, generation));
    const [result] = results;
    if (result?.status !== "released")
      throw new InvalidInput(
        result?.detail ?? `The address was not released: ${result?.status ?? "no result"}.`,
      );
    return <p>{address} is released.</p>;
  },
});

const quarantine = (api: Api, { address, handle }: AddressRead, generation: string): Act => ({
  label: "Quarantine",
  title: `Quarantine ${address}`,
  verb: "Quarantine the address",
  intro: (
    <>
      Reports that something else uses the address.{" "}
      {handle === undefined ? "Its owner" : <b>{handle}</b>} loses it, and nobody gets it until the
      quarantine ends.
    </>
  ),
  typed: address,
  inShell: () => ({
    plat: ["address", "conflict", address, "--generation", generation],
    request: {
      method: "POST",
      path: `addresses/${segment(address)}/conflict`,
      body: { generation },
    },
  }),
  async perform() {
    const { quarantinedUntil } = await api.send<Answer<"quarantined">>({
      method: "POST",
      path: `addresses/${segment(address)}/conflict`,
      body: { generation },
    });
    return (
      <p>
        {address} is in quarantine until <Moment at={quarantinedUntil} />.
      </p>
    );
  },
});

const lift = (api: Api, { address }: AddressRead): Act => ({
  label: "End the quarantine",
  title: `End the quarantine of ${address}`,
  verb: "End the quarantine",
  intro: "The address can be assigned again once its cooldown is over.",
  inShell: () => ({
    plat: ["address", "lift", address],
    request: { method: "DELETE", path: `addresses/${segment(address)}/conflict` },
  }),
  async perform() {
    const { availableAt } = await api.send<Answer<"lifted">>({
      method: "DELETE",
      path: `addresses/${segment(address)}/conflict`,
    });
    return (
      <p>
        The quarantine has ended.
        {availableAt !== undefined && (
          <>
            {" "}
            The cooldown of the address ends at <Moment at={availableAt} />.
          </>
        )}
      </p>
    );
  },
});

/**
 * Returns what can be done with a handle that has these addresses. Only the routes of nodes and of prefixes release what
 * they assigned, so that has no generation.
 */
export function actsOnHandle(
  api: Api,
  handle: string,
  addresses: readonly HeldAddress[],
): ActsOfPage {
  const [first] = addresses;
  if (first?.generation === undefined) return {};
  const { workload } = first;
  const release = workload
    ? releaseInstance(api, { handle, addresses, workload })
    : releaseHandle(api, { handle, addresses });
  return { release };
}

/** A handle, and the addresses that it has. */
interface Holder {
  readonly handle: string;
  readonly addresses: readonly HeldAddress[];
}

const releaseHandle = (api: Api, { handle, addresses }: Holder): Act => ({
  label: "Release all",
  title: `Release all addresses of ${handle}`,
  verb: "Release them",
  intro: (
    <>
      Releases every address of the handle, and any that it gets while this runs. Others can get
      them after the cooldown. It has {listed(addresses.map(heldText))}
    </>
  ),
  typed: handle,
  inShell: () => ({
    plat: ["release", "--handle", handle],
    request: { method: "DELETE", path: `handles/${segment(handle)}` },
  }),
  async perform() {
    const path = `handles/${segment(handle)}`;
    return releaseAll(() => api.send<Answer<"handleReleased">>({ method: "DELETE", path }));
  },
});

/** The instance of a workload that has an address. */
type Workload = NonNullable<HeldAddress["workload"]>;

/** Returns the act that releases what an instance has under the uid that was read. */
function releaseInstance(
  api: Api,
  { handle, addresses, workload }: Holder & { readonly workload: Workload },
): Act {
  const { namespace, ...named } = workload;
  const { kind, name, instance, uid } = named;
  const body = { namespace, workload: named };
  const request = { method: "POST", path: "release", body } as const;
  const words = ["--namespace", namespace, "--workload", `${kind}/${name}/${instance}`];
  return {
    label: "Release all",
    title: `Release all addresses of ${handle}`,
    verb: "Release them",
    intro: (
      <>
        Releases every address that the instance has under its uid {uid}, and keeps none for the
        next uid. Others can get them after the cooldown. It has {listed(addresses.map(heldText))}
      </>
    ),
    typed: handle,
    inShell: () => ({ plat: ["release", ...words, "--uid", uid], request }),
    async perform() {
      const { released: freed } = await api.send<Answer<"instanceReleased">>(request);
      return (
        <p>
          {released(freed.length)}.
          {freed.length === 0 && ` The instance has none under the uid ${uid} any more.`}
        </p>
      );
    },
  };
}

/** An address with the proof of its assignment. */
interface Entry {
  readonly address: string;
  readonly generation: string;
}

/** The maximum of one request. */
const RELEASED_PER_REQUEST_MAX = 256;

/** Returns the act that releases some addresses, each if it is still the assignment that was read. */
export const releaseSome = (api: Api, addresses: readonly HeldAddress[]): Act => {
  const entries = addresses.flatMap(({ address, generation }) =>
    generation === undefined ? [] : [{ address, generation }],
  );
  const what = counted(entries.length);
  return {
    label: `Release ${what}`,
    title: `Release ${what}`,
    verb: `Release ${what}`,
    intro: (
      <>
        Others can get these addresses after the cooldown. This can never release a later
        assignment: {namesIn(entries.map(({ address }) => address))}
      </>
    ),
    typed: what,
    inShell: () => ({
      request: { method: "POST", path: "release", body: { addresses: entries } },
    }),
    async perform(_, told) {
      const results: Released["results"][number][] = [];
      let left: readonly Entry[] = entries;
      while (left.length > 0) {
        told(`${results.length} of ${what} done…`);
        const sent = left.slice(0, RELEASED_PER_REQUEST_MAX);
        const body = { addresses: sent };
        const answer = await api.send<Released>({ method: "POST", path: "release", body });
        const isDone = (at: number) => answer.results[at]?.status !== "unfinished";
        const again = sent.filter((_, at) => !isDone(at));
        // Without progress the rest is told as it is.
        const isStuck = again.length === sent.length;
        results.push(...answer.results.filter((_, at) => isStuck || isDone(at)));
        left = [...(isStuck ? [] : again), ...left.slice(sent.length)];
      }
      const kept = results.filter(({ status }) => status !== "released");
      return (
        <>
          <p>{released(results.length - kept.length)}.</p>
          {kept.length > 0 && (
            <ul aria-label="Not released">
              {kept.map(({ address, status, detail }) => (
                <li key={address}>
                  {address} was not released: {detail ?? status}
                </li>
              ))}
            </ul>
          )}
        </>
      );
    },
  };
};

type Released = Answer<"addressesReleased">;

/** The name of a host, and the type that tells a virtual host from the machine of the same name. */
export interface HostNamed {
  readonly name: string;
  readonly type: HostType;
}

/** Returns the act that releases all addresses of a host. */
export const releaseHost = (api: Api, { name: host, type }: HostNamed): Act => {
  const named = { host, affinityType: type };
  const request = { method: "POST", path: "release", body: named } as const;
  const words = type === "virtual" ? ["--affinity-type", type] : [];
  return {
    label: "Release all",
    title: `Release all addresses of ${host}`,
    verb: "Release them",
    intro: (
      <>
        Releases the addresses on the host, and any assigned there while this runs. Others can get
        them after the cooldown. Pods of a StatefulSet and virtual machines keep theirs for their
        next incarnation. Prefixes stay, and so do the addresses of CiliumNodes. The host keeps its
        blocks until they are reclaimed.
      </>
    ),
    typed: host,
    inShell: () => ({ plat: ["release", "--host", host, ...words], request }),
    async preview() {
      const { free, ofInstances, ofNodes, isWhole } = await addressesOn(api, named);
      const atLeast = isWhole ? "" : "at least ";
      const looked = free.length + ofInstances.length + ofNodes.length;
      return (
        <>
          <p>
            It releases {atLeast}
            {listed(free)}
          </p>
          {ofInstances.length > 0 && (
            <p>
              Instances of workloads keep theirs if their kind keeps addresses. They have {atLeast}
              {listed(ofInstances)}
            </p>
          )}
          {ofNodes.length > 0 && (
            <p>These stay, because other routes release them: {namesIn(ofNodes)}</p>
          )}
          {!isWhole && (
            <p>These are of the first {counted(looked)} of the host, and it may have more.</p>
          )}
        </>
      );
    },
    perform: () => releaseAll(() => api.send<Answer<"hostReleased">>(request)),
  };
};

const PAGE_ADDRESSES = 250;
const PREVIEW_PAGES_MAX = 20;

/** Reads the addresses on a host, on a limited number of pages, and tells apart what a release of the host does with each. */
async function addressesOn(api: Api, named: Readonly<Record<string, string>>) {
  const query = { ...named, state: "assigned", limit: PAGE_ADDRESSES };
  const found = { free: [] as string[], ofInstances: [] as string[], ofNodes: [] as string[] };
  let pages = 0;
  for await (const page of pagesOf<Answer<"addressesRead">>(api, { path: "addresses", query })) {
    for (const held of page.addresses) {
      const { free, ofInstances, ofNodes } = found;
      const kin = held.generation === undefined ? ofNodes : held.workload ? ofInstances : free;
      kin.push(heldText(held));
    }
    pages += 1;
    if (pages === PREVIEW_PAGES_MAX && page.next !== undefined) return { ...found, isWhole: false };
  }
  return { ...found, isWhole: true };
}

/** The number of addresses that a dialog names. */
const NAMED_MAX = 20;

const namesIn = (names: readonly string[]) => (
  <span class="list">
    {names.slice(0, NAMED_MAX).join(", ")}
    {names.length > NAMED_MAX && ", …"}
  </span>
);

/** Returns the number of some addresses with the first names. */
const listed = (names: readonly string[]) => (
  <>
    {counted(names.length)}
    {names.length > 0 && ": "}
    {namesIn(names)}
  </>
);

/** Sends a release until it is complete. An answer that is not asks for the same request again, as long as it gets on. */
async function releaseAll(send: () => Promise<Answer<"handleReleased"> | Answer<"hostReleased">>) {
  let count = 0;
  const kept = new Set<string>();
  for (;;) {
    const answer = await send();
    count += answer.released.length;
    for (const address of "kept" in answer ? answer.kept : []) kept.add(address);
    if (!answer.complete) {
      if (answer.progressed) continue;
      throw new InvalidInput(`${released(count)}, but not all. Try again later.`);
    }
    return (
      <>
        <p>{released(count)}.</p>
        {kept.size > 0 && (
          <p>Instances keep theirs for their next incarnation: {namesIn([...kept])}</p>
        )}
      </>
    );
  }
}

const counted = (count: number) => (count === 1 ? "1 address" : `${count} addresses`);

const released = (count: number) => `${counted(count)} ${count === 1 ? "is" : "are"} released`;
