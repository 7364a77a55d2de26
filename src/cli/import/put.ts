import { type Path, type PlatClient, path } from "../../client/index.ts";
import { keepingUnsaid } from "../../contract/manifest-fields.ts";
import { beforePut, detailsOf, headersAsSeen } from "../resource/change.ts";
import type { DesiredReservation, DesiredSettings, PoolFields } from "./desired.ts";
import type { PoolStep } from "./steps.ts";

/** The answer to a write. */
export interface Written {
  readonly effectiveAt?: string;
  readonly warnings?: unknown;
  /** False for an application that has not all its addresses. */
  readonly complete?: boolean;
  /** The reason why it has not. */
  readonly refusal?: { readonly detail: string };
}

/** The result of a write. */
interface Put {
  readonly body: Written;
  /** The time from which every function acts on it. */
  readonly effectiveAt: string | undefined;
  /** Warnings of the API, in sentences. */
  readonly warnings: readonly string[];
}

interface How {
  /** True: changes nothing, and returns whether the write would be rejected. */
  readonly dryRun?: boolean;
}

/** Writes a pool, and keeps the fields that the source has no word for, as they are by now. */
export const writePool = (
  client: PlatClient,
  { name, unsaid }: Pick<PoolStep, "name" | "unsaid">,
  fields: PoolFields,
  how?: How,
) => put(client, path`/v1/pools/${name}`, (before) => keepingUnsaid(unsaid, fields, before), how);

/** Writes some settings, and keeps the others. */
export const writeSettings = (client: PlatClient, settings: DesiredSettings, how?: How) =>
  put(client, path`/v1/config`, (before) => ({ ...before, ...settings }), how);

/** Writes the networks of a reservation, and keeps its other fields. */
export const writeReservation = (
  client: PlatClient,
  { name, cidrs }: DesiredReservation,
  how?: How,
) => put(client, path`/v1/reservations/${name}`, (before) => ({ ...before, cidrs }), how);

/** Writes the desired state over the current one. */
export async function put(
  client: PlatClient,
  route: Path,
  bodyOver: (before: Readonly<Record<string, unknown>> | undefined) => object,
  { dryRun = false }: How = {},
): Promise<Put> {
  const before = await beforePut(client, route);
  const { body } = await client.call<Written>({
    method: "PUT",
    path: route,
    query: { dryRun: dryRun || undefined },
    body: bodyOver(before?.body),
    ...headersAsSeen(before),
  });
  return { body, effectiveAt: body.effectiveAt, warnings: detailsOf(body) };
}
