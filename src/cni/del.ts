import type * as v from "valibot";
import { releaseInstance } from "../cli/api/releases.ts";
import { type PlatClient, path } from "../client/index.ts";
import type { handleReleased } from "../nouns/address/contract/release-answer.ts";
import { type Attachment, handleOf, workloadOf } from "./attachment.ts";
import { CniError, CODE } from "./error.ts";

/** The maximum of requests for one handle. Each works for some seconds. */
const REQUESTS_MAX = 8;

/** Releases what an attachment has; nothing if it has nothing. An instance keeps its addresses for its next sandbox. */
export async function del(client: PlatClient, attachment: Attachment): Promise<void> {
  const workload = workloadOf(attachment);
  if (workload) {
    const { namespace, ...named } = workload;
    await releaseInstance(client, { namespace, workload: named, keep: true });
  }
  // Also for an instance: its ADD may be from before the configuration said `keep`.
  const handle = handleOf(attachment);
  for (let requests = 0; requests < REQUESTS_MAX; requests++) {
    const { body } = await client.call<v.InferOutput<typeof handleReleased>>({
      method: "POST",
      path: path`/v1/release`,
      body: { handle },
      // The runtime attaches this container and interface again only after the end of this command.
      isRepeatable: true,
    });
    if (body.complete) return;
  }
  throw new CniError(
    CODE.tryAgainLater,
    `${REQUESTS_MAX} requests did not release all of ${handle}.`,
  );
}
