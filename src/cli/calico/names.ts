import { createHash } from "node:crypto";
import { NAME_CHARACTERS_MAX } from "../../base/limits.ts";
import { type HostId, hostName } from "../../kernel/values/host.ts";
import { blockName } from "../space/blocks.ts";

/** The handle of host-reserved addresses on Windows hosts, in every block. */
export const WINDOWS_HANDLE = "windows-reserved-ipam-handle";

/** The host of an address whose host is not recorded. */
export const UNKNOWN_HOST = "unknown";

/** Returns the handle of an address that has none in Calico. */
export const handleOfNone = (address: string) => `no-handle-${address}`;

/** Returns the name of an affinity's resource. It cuts a name that is too long, and adds a hash to keep it unique. */
export function affinityName(host: HostId, cidr: string): string {
  const block = blockName(cidr);
  const name = `${hostName(host)}-${block}`;
  if (name.length < NAME_CHARACTERS_MAX) return name;
  const hash = createHash("sha256")
    .update(`${hostName(host)}+${block}`)
    .digest("hex")
    .slice(0, 11);
  const room = NAME_CHARACTERS_MAX - block.length - hash.length - 3;
  return `${hostName(host).slice(0, room)}-${block}-${hash}`;
}
