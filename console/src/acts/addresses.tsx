import { type Api, segment } from "../api/api.ts";
import type { AddressRead, Answer, HeldAddress } from "../api/types.ts";
import { Moment } from "../parts/moment.tsx";
import { Named } from "../parts/to.tsx";
import { type Act, type ActsOfPage, type Input, InvalidInput, linesOf, newKey } from "./act.ts";

/** Returns what can be done with an address in its state. */
export function actsOn(api: Api, address: AddressRead): ActsOfPage {
  const { state, generation } = address;
  if (state === "free") return { assign: assign(api, address) };
  if (state === "quarantined") return { lift: lift(api, address) };
  if (generation === undefined || state !== "assigned") return {};
  return {
    release: release(api, address, generation),
    quarantine: quarantine(api, address, generation),
  };
}

const assign = (api: Api, { address, pool }: AddressRead): Act => {
  // One key for all tries of the dialog: a repeat after a lost answer assigns nothing else.
  const key = newKey();
  return {
    label: "Assign",
    title: `Assign ${address}`,
    verb: "Assign",
    intro: `The address of the pool ${pool} goes to a handle on a host.`,
    fields: [
      {
        name: "handle",
        label: "Handle",
        kind: "text",
        isRequired: true,
        hint: "Your name for what gets it",
      },
      { name: "host", label: "Host", kind: "text", isRequired: true },
      {
        name: "attributes",
        label: "Attributes",
        kind: "lines",
        hint: "One a line, such as pod=web-0",
      },
    ],
    async preview(input) {
      const { rejection, families } = await api.send<Answer<"explanation">>({
        method: "POST",
        path: "assign",
        query: { dryRun: "true" },
        body: bodyOf(address, input),
      });
      if (rejection) throw new InvalidInput(`${rejection.detail} (${rejection.code})`);
      const steps = families.flatMap(({ blocks }) => blocks);
      return (
        <ul>
          {steps.map(({ action, block }) => (
            <li key={block}>
              {action === "claim"
                ? `The host claims the block ${block}, and gets the address from it.`
                : `The host gets the address from the block ${block} (${action}).`}
            </li>
          ))}
        </ul>
      );
    },
    async perform(input) {
      await api.send({ method: "POST", path: "assign", body: bodyOf(address, input), key });
      return (
        <p>
          {address} is assigned to <Named kind="handle" name={input.handle ?? ""} />.
        </p>
      );
    },
  };
};

function bodyOf(address: string, { handle, host, attributes }: Input) {
  const pairs = linesOf(attributes).map((line) => {
    const at = line.indexOf("=");
    if (at < 1) throw new InvalidInput(`The attribute ${line} is not of the form name=value.`);
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return { address, handle, host, attributes: Object.fromEntries(pairs) };
}

const release = (api: Api, { address, handle }: AddressRead, generation: string): Act => ({
  label: "Release",
  title: `Release ${address}`,
  verb: "Release the address",
  intro: (
    <>
      {handle === undefined ? "Its owner" : <b>{handle}</b>} no longer has the address, and others
      get it after the cooldown. Only this assignment is released, not a later one.
    </>
  ),
  typed: address,
  async perform() {
    const { results } = await api.send<Answer<"addressesReleased">>({
      method: "POST",
      path: "release",
      body: { addresses: [{ address, generation }] },
    });
    const [result] = results;
    if (result?.status !== "released")
      throw new InvalidInput(
        result?.detail ?? `The address is not released: ${result?.status ?? "no result"}.`,
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
      This reports that something else uses the address.{" "}
      {handle === undefined ? "Its owner" : <b>{handle}</b>} no longer has it, and nobody gets it
      before the end of the quarantine.
    </>
  ),
  typed: address,
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
  intro: "The address can be assigned again after what is left of its cooldown.",
  async perform() {
    const { availableAt } = await api.send<Answer<"lifted">>({
      method: "DELETE",
      path: `addresses/${segment(address)}/conflict`,
    });
    return (
      <p>
        The quarantine is ended.
        {availableAt !== undefined && (
          <>
            {" "}
            The address cools until <Moment at={availableAt} />.
          </>
        )}
      </p>
    );
  },
});

/** Returns the act that releases all addresses of a handle. */
export const releaseHandle = (
  api: Api,
  handle: string,
  addresses: readonly HeldAddress[],
): Act => ({
  label: "Release all",
  title: `Release all addresses of ${handle}`,
  verb: "Release them",
  intro: (
    <>
      The handle no longer has any address, also none that it gets meanwhile. Others get them after
      the cooldown. It has {addresses.length} now:{" "}
      <span class="list">
        {addresses
          .slice(0, NAMED_MAX)
          .map(({ address }) => address)
          .join(", ")}
        {addresses.length > NAMED_MAX && ", …"}
      </span>
    </>
  ),
  typed: handle,
  async perform() {
    const path = `handles/${segment(handle)}`;
    let count = 0;
    // An answer that is not complete asks for the same request again, as long as it gets on.
    for (;;) {
      const answer = await api.send<Answer<"handleReleased">>({ method: "DELETE", path });
      count += answer.released.length;
      if (answer.complete) return <p>{released(count)}.</p>;
      if (!answer.progressed)
        throw new InvalidInput(`${released(count)}, and some are not yet. Try again later.`);
    }
  },
});

const NAMED_MAX = 20;

const released = (count: number) =>
  count === 1 ? "1 address is released" : `${count} addresses are released`;
