import type * as v from "valibot";
import { NETWORK_WORDS } from "../cli/show/address.ts";
import { found, isRejection, type PlatClient, path } from "../client/index.ts";
import { formatAddress } from "../net/address.ts";
import type { assignment } from "../nouns/address/contract/assignment-answer.ts";
import type { Attachment } from "./attachment.ts";
import { del } from "./del.ts";
import { CniError, CODE } from "./error.ts";
import { assignRequests, type RepeatableAssign, specificAddresses } from "./requests.ts";
import { type AssignedAddress, resultOf } from "./result.ts";

/** Assigns the addresses of an attachment, all or none, and returns the result of the ADD. */
export async function add(client: PlatClient, attachment: Attachment) {
  const requests = assignRequests(attachment);
  await assertForContainers(client, attachment);
  return resultOf(attachment.network, await assignAll(client, attachment, requests));
}

/** Checks that no address that is asked for is one that no container of its network can have. @throws {CniError} */
async function assertForContainers(client: PlatClient, attachment: Attachment): Promise<void> {
  for (const address of specificAddresses(attachment)) {
    // An assign says best why an address that is in no pool cannot be had.
    const ip = formatAddress(address);
    const keptOut = (await found(client.readAddress({ ip })))?.body.keptOut;
    if (keptOut)
      throw new CniError(
        CODE.rejected,
        `${ip} is the ${NETWORK_WORDS[keptOut]} of a pool's network, and no container gets it.`,
      );
  }
}

/** Carries out requests in turn, and returns each address once. If one fails, it releases what earlier ones have assigned. */
async function assignAll(
  client: PlatClient,
  attachment: Attachment,
  requests: readonly RepeatableAssign[],
): Promise<readonly AssignedAddress[]> {
  const assigned = new Map<string, AssignedAddress>();
  const take = async (body: RepeatableAssign["body"], key?: string) => {
    for (const one of await assign(client, body, key)) assigned.set(one.address, one);
  };
  try {
    for (const { body, key, afterDel } of requests)
      await take(body, key).catch(async (error) => {
        if (afterDel.length === 0 || !isOfReleased(error)) throw error;
        for (const each of afterDel) await take(each);
      });
  } catch (error) {
    // One request is all or nothing in Plat, and needs no release.
    if (assigned.size > 0) await del(client, attachment).catch(() => {});
    throw error;
  }
  return [...assigned.values()];
}

async function assign(
  client: PlatClient,
  body: RepeatableAssign["body"],
  key?: string,
): Promise<readonly AssignedAddress[]> {
  const answer = await client.call<v.InferOutput<typeof assignment>>({
    method: "POST",
    path: path`/v1/assign`,
    body,
    ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
    isRepeatable: true,
  });
  return answer.body.addresses;
}

/**
 * Returns true if an earlier attachment of this container used the key, and was released: by a DEL, after which a runtime may attach
 * the container again, and ask for something else.
 */
const isOfReleased = (error: unknown): boolean =>
  isRejection(error, "already_released") ||
  (isRejection(error, "idempotency_mismatch") && error.problem.released !== undefined);
