import type * as v from "valibot";
import { isRejection, type PlatClient, path } from "../client/index.ts";
import type { assignment } from "../contract/answers/assignment.ts";
import { type Attachment, workloadOf } from "./attachment.ts";
import { del } from "./del.ts";
import { type AssignRequest, assignRequests, limitedRequests } from "./requests.ts";
import { type AssignedAddress, resultOf } from "./result.ts";

/** Assigns the addresses of an attachment, all or none, and returns the result of the ADD. */
export async function add(client: PlatClient, attachment: Attachment) {
  const requests = assignRequests(attachment);
  const addresses = await assignAll(client, requests)
    .catch(async (error) => {
      if (!isRejection(error, "already_released") || workloadOf(attachment)) throw error;
      return assignAll(client, limitedRequests(attachment));
    })
    .catch(async (error) => {
      // One request is all or nothing in Plat. Of several, the first may have an address by now.
      if (requests.length > 1) await del(client, attachment).catch(() => {});
      throw error;
    });
  return resultOf(attachment.network, addresses);
}

/** Carries out requests in turn, and returns each address once. */
async function assignAll(
  client: PlatClient,
  requests: readonly AssignRequest[],
): Promise<readonly AssignedAddress[]> {
  const assigned = new Map<string, AssignedAddress>();
  for (const { body, key } of requests) {
    const { body: answer } = await client.call<v.InferOutput<typeof assignment>>({
      method: "POST",
      path: path`/v1/assign`,
      body,
      ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
      isRepeatable: true,
    });
    for (const one of answer.addresses) assigned.set(one.address, one);
  }
  return [...assigned.values()];
}
