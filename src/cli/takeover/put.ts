import { type Client, found, type Path } from "../client.ts";
import { matching } from "../resource/change.ts";

/**
 * Puts what is to stand, over what stands as it is seen now.
 *
 * @param dryRun only whether it would be refused
 * @returns from when on everybody acts on it
 */
export async function put(
  client: Client,
  route: Path,
  bodyOver: (before: object) => object,
  dryRun = false,
): Promise<string | undefined> {
  const before = await found(client.call<object>({ method: "GET", path: route }));
  const { body } = await client.call<{ readonly effectiveAt?: string }>({
    method: "PUT",
    path: route,
    query: { dryRun: dryRun || undefined },
    body: bodyOver(before?.body ?? {}),
    ...matching(before),
  });
  return body.effectiveAt;
}
