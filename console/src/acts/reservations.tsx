import type { Api, Versioned } from "../api/api.ts";
import type { Answer, Reservation } from "../api/types.ts";
import { type Act, type Input, linesOf } from "./act.ts";
import { Difference } from "./difference.tsx";

type Written = Answer<"reservationWritten">;

const pathOf = (name: string) => `reservations/${encodeURIComponent(name)}`;

const FIELDS = (reservation?: Reservation) =>
  [
    {
      name: "cidrs",
      label: "Ranges",
      kind: "lines",
      isRequired: true,
      initial: reservation?.cidrs.join("\n"),
      hint: "One per line: 10.0.0.0/28, 10.0.0.7 or 10.0.0.1-10.0.0.9",
    },
    { name: "reason", label: "Reason", kind: "text", initial: reservation?.reason },
  ] as const;

/** Returns the act that reserves ranges. */
export const reserve = (api: Api): Act => ({
  label: "Reserve",
  isMain: true,
  title: "Reserve addresses",
  verb: "Reserve",
  intro:
    "Plat assigns these ranges only to requests that name an address. Assigned addresses in them stay assigned.",
  fields: [{ name: "name", label: "Name", kind: "text", isRequired: true }, ...FIELDS()],
  async preview({ name = "", ...input }) {
    const written = await put(api, name, input, { version: "none", dryRun: "true" });
    return <Would written={written} />;
  },
  async perform({ name = "", ...input }) {
    await put(api, name, input, { version: "none" });
    return <p>The ranges are reserved as {name}.</p>;
  },
});

/** Returns the acts on a reservation, in the version that was read. */
export function actsOn(api: Api, { value: reservation, version }: Versioned<Reservation>) {
  const { name } = reservation;
  const change: Act = {
    label: "Change",
    title: `Change the reservation ${name}`,
    verb: "Change",
    intro:
      "Plat assigns these ranges only to requests that name an address. Assigned addresses in them stay assigned.",
    fields: FIELDS(reservation),
    async preview(input) {
      const written = await put(api, name, input, { before: reservation, version, dryRun: "true" });
      return <Would before={reservation} written={written} />;
    },
    async perform(input) {
      await put(api, name, input, { before: reservation, version });
      return <p>The reservation {name} is changed.</p>;
    },
  };
  const request = { method: "DELETE", path: pathOf(name), version } as const;
  const remove: Act = {
    label: "Delete",
    title: `Delete the reservation ${name}`,
    verb: "Delete the reservation",
    intro: `Automatic assignment can then use ${reservation.cidrs.join(", ")}.`,
    typed: name,
    async preview() {
      await api.send({ ...request, query: { dryRun: "true" } });
      return <p>The reservation is deleted. No address changes its state.</p>;
    },
    async perform() {
      await api.send(request);
      return <p>The reservation {name} is deleted.</p>;
    },
  };
  return { change, delete: remove };
}

interface Put {
  /** The reservation that is changed. Its fields without an input stay as they are. */
  readonly before?: Reservation;
  readonly version: string | undefined;
  readonly dryRun?: string;
}

function put(
  api: Api,
  name: string,
  { cidrs, reason }: Input,
  { before, version, dryRun }: Put,
): Promise<Written> {
  const { reason: _, ...others } = before ?? {};
  return api.send({
    method: "PUT",
    path: pathOf(name),
    query: { dryRun },
    body: { ...others, cidrs: linesOf(cidrs), ...(reason && { reason }) },
    version,
  });
}

function Would({ before, written }: { before?: Reservation; written: Written }) {
  const { dryRun: _, effectiveAt: __, ignored: ___, warnings = [], ...after } = written;
  return (
    <>
      <Difference {...(before && { before: { ...before } })} after={after} />
      {warnings.map(({ pool, detail }) => (
        <p key={pool} class="stale">
          {detail}
        </p>
      ))}
    </>
  );
}
