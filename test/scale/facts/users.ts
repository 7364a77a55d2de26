import { Rejection } from "../../../src/base/outcome.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { releaseAddress } from "../../../src/kernel/release/release-address.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { releaseHost } from "../../../src/kernel/release/release-host.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import { readAddress } from "../../../src/nouns/address/operations/read-address.ts";
import { listBlocks } from "../../../src/nouns/block/operations/list-blocks.ts";
import { type Cloud, LambdaFunction } from "../lambda.ts";
import { addressIn, assignCold, expectServed, isServed, requestOf } from "../requests.ts";

/** The name of a pool, and the prefix of its users' names. */
export const BESIDE = "beside";
const HOST: HostId = `host:${BESIDE}`;

/** The requests of users. */
const USER_REQUESTS = [
  "an assign",
  "a read of an address",
  "a list of blocks",
  "a release by address",
  "a release by address and handle",
  "a release by handle",
  "a release by host",
] as const;
export type UserRequest = (typeof USER_REQUESTS)[number];

/**
 * Assigns two addresses to users of a pool of a space. Returns their further requests; each returns
 * true if it was done.
 */
export async function usersOf(cloud: Cloud, space: string) {
  const wanted = (handle: string) =>
    requestOf(space, HOST, { handle: `${BESIDE}-${handle}`, pools: [BESIDE] });
  const assigned = async (handle: string) => {
    const { value } = await expectServed(new LambdaFunction(cloud), wanted(handle));
    return addressIn(value);
  };
  const [one, two] = [await assigned("one"), await assigned("two")];
  const isDone = async (work: (context: Context) => Promise<unknown>) => {
    const ended = await new LambdaFunction(cloud).request(work);
    if (ended.ended !== "answered" || ended.value instanceof Rejection) return false;
    const answer = ended.value as { readonly complete?: boolean } | undefined;
    return answer !== undefined && answer.complete !== false;
  };
  const requests: Readonly<Record<UserRequest, () => Promise<boolean>>> = {
    "an assign": async () => isServed(await assignCold(cloud, wanted("three"))),
    "a read of an address": () => isDone((context) => readAddress(context, space, one.address)),
    "a list of blocks": () =>
      isDone((context) => listBlocks(context, { space, pool: BESIDE, limit: 100 })),
    "a release by address": () => isDone((context) => releaseAddress(context, space, one)),
    "a release by address and handle": () =>
      isDone((context) =>
        releaseAddress(context, space, { address: two.address, handle: `${BESIDE}-two` }),
      ),
    "a release by handle": () =>
      isDone((context) => releaseHandle(context, space, `${BESIDE}-three`)),
    "a release by host": () => isDone((context) => releaseHost(context, space, HOST)),
  };
  return {
    /** Returns the requests that are not served now. */
    async undone(): Promise<readonly UserRequest[]> {
      const undone: UserRequest[] = [];
      for (const name of USER_REQUESTS) if (!(await requests[name]())) undone.push(name);
      return undone;
    },
  };
}
