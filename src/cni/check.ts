import { readHandle } from "../cli/api/handles.ts";
import { found, type PlatClient } from "../client/index.ts";
import { workloadHandle } from "../domain/workload.ts";
import { type Attachment, handleOf, workloadOf } from "./attachment.ts";
import { CniError, CODE } from "./error.ts";
import { expectedAddresses } from "./expected.ts";

/** Checks that an attachment holds the addresses that its ADD returned. @throws {CniError} if it lacks one */
export async function check(client: PlatClient, attachment: Attachment): Promise<void> {
  const expected = expectedAddresses(attachment.network.prevResult, attachment.container);
  const workload = workloadOf(attachment);
  const handle = workload ? workloadHandle(workload) : handleOf(attachment);
  const held = ((await found(readHandle(client, handle))) ?? [])
    .filter((one) => one.state === "assigned" && one.workload?.uid === workload?.uid)
    .map(({ address }) => address);
  const missing = expected.filter((address) => !held.includes(address));
  if (expected.length > 0 && missing.length === 0) return;
  throw new CniError(
    CODE.notHeld,
    expected.length === 0
      ? `prevResult has no address of ${attachment.container.ifName}.`
      : `${handle} does not hold ${missing.join(", ")}.`,
    held.length > 0 ? `It holds ${held.join(", ")}.` : "It holds no address.",
  );
}
