import { found, type Path, type PlatClient } from "../../client/index.ts";
import { detailsOf, headersAsSeen } from "../resource/change.ts";

interface Written {
  readonly effectiveAt?: string;
  readonly warnings?: unknown;
  /** False for an application that has not all its addresses. */
  readonly complete?: boolean;
}

/** The result of a write. */
interface Put {
  readonly body: Written;
  /** The time from which every function acts on it. */
  readonly effectiveAt: string | undefined;
  /** Warnings of the API, in sentences. */
  readonly warnings: readonly string[];
}

/**
 * Writes the desired state over the current one.
 *
 * @param how.dryRun changes nothing, and returns whether the write would be rejected
 */
export async function put(
  client: PlatClient,
  route: Path,
  bodyOver: (before: object) => object,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Put> {
  const before = await found(client.call<object>({ method: "GET", path: route }));
  const { body } = await client.call<Written>({
    method: "PUT",
    path: route,
    query: { dryRun: dryRun || undefined },
    body: bodyOver(before?.body ?? {}),
    ...headersAsSeen(before),
  });
  return { body, effectiveAt: body.effectiveAt, warnings: detailsOf(body) };
}
