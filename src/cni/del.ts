import type * as v from "valibot";
import { releaseInstance } from "../cli/space/releases.ts";
import { type PlatClient, path } from "../client/index.ts";
import { textOfAttachment } from "../nouns/address/attachment.ts";
import type { handleReleased } from "../nouns/address/contract/release-answer.ts";
import { workloadHandle } from "../nouns/application/workload.ts";
import { type Attachment, canHold, handleOf, instanceOfAttachment } from "./attachment.ts";
import { CniError, CODE } from "./error.ts";
import { releaseHeld } from "./gc.ts";

/** The maximum of requests for one handle. Each works for some seconds. */
const REQUESTS_MAX = 8;

/**
 * Releases what an attachment has; nothing if it has nothing. Where the network says so, an instance keeps its addresses
 * for its next sandbox. The pod may be gone, or have another controller than at its ADD. So if nothing was found where
 * it should be, what this host holds says whose it is.
 */
export async function del(client: PlatClient, attachment: Attachment): Promise<void> {
  // The configuration may have said `keep` at the ADD.
  const workload = instanceOfAttachment(attachment, true);
  const { network, host, container, seen } = attachment;
  let found = 0;
  if (workload && canHold(workloadHandle(workload))) {
    const { namespace, ...named } = workload;
    const { keep } = network.ipam;
    const ended = await releaseInstance(client, { namespace, workload: named, keep });
    found = ended.released.length + ended.kept.length;
  }
  // Also for an instance: its ADD may be from before the configuration said `keep`.
  const handle = handleOf(attachment);
  if (canHold(handle)) found += await releaseHandle(client, handle);
  if (seen === undefined || found > 0) return;
  const own = textOfAttachment(container);
  const isOwn = (one: Parameters<typeof textOfAttachment>[0]) => textOfAttachment(one) === own;
  await releaseHeld(client, network, host, isOwn, container.containerId);
}

/** Releases all that a handle has. Returns how many addresses that was. */
async function releaseHandle(client: PlatClient, handle: string): Promise<number> {
  let found = 0;
  for (let requests = 0; requests < REQUESTS_MAX; requests++) {
    const { body } = await client.call<v.InferOutput<typeof handleReleased>>({
      method: "POST",
      path: path`/v1/release`,
      body: { handle },
      // The runtime attaches this container and interface again only after the end of this command.
      isRepeatable: true,
    });
    found += body.released.length;
    if (body.complete) return found;
  }
  throw new CniError(
    CODE.tryAgainLater,
    `${REQUESTS_MAX} requests did not release all of ${handle}.`,
  );
}
