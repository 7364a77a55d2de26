import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { PlatClient } from "../../client/index.ts";
import { compareAddresses, parseAddress } from "../../net/address.ts";
import { handleOfAttachment } from "../../nouns/address/attachment.ts";
import type { Desired } from "../import/desired.ts";
import { desiredFromSystem, type ForeignAddress } from "../import/in-pools.ts";
import { usageError } from "../shell/exit.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";

/*
 * The folder in which the plugin host-local counts the addresses of one network on one node. Each file has the name of an address,
 * and the container and its interface as content:
 * https://github.com/containernetworking/plugins/blob/main/plugins/ipam/host-local/backend/disk/backend.go
 */

/** The files that are no addresses: the lock, and the address that each range gave last. */
const BOOKKEEPING = /^(lock|last_reserved_ip\..*)$/;
/** The interface of files from before host-local 0.8.3, which have the container only. */
const IF_NAME_DEFAULT = "eth0";

/**
 * Returns the desired state of the addresses in folders of host-local on one node, in existing pools. Each gets the handle under
 * which `plat-cni` releases it. Errors: a folder that cannot be read, or that has none of its files.
 *
 * @param network the name of the network; the name of each folder if absent, as host-local has it
 */
export async function desiredFromHostLocal(
  client: PlatClient,
  io: Io,
  folders: readonly string[],
  { host, network }: { readonly host: string; readonly network?: string | undefined },
): Promise<Desired> {
  const entries: ForeignAddress[] = [];
  const others: string[] = [];
  for (const folder of folders) {
    const of = { host, network: network ?? basename(resolve(folder)) };
    for (const name of await namesIn(folder)) {
      if (BOOKKEEPING.test(name)) continue;
      const file = join(folder, name);
      // A file name on Windows has no colons.
      const address = parseAddress(name.replaceAll("_", ":"));
      if (!address.ok) others.push(file);
      else entries.push(entryOf(address.value, file, await readInput(io, file), of));
    }
  }
  entries.sort((a, b) => compareAddresses(a.address, b.address));
  const notes =
    others.length > 0 ? [`Left out, because no address is the name of: ${others.join(", ")}.`] : [];
  return desiredFromSystem(client, "host-local", entries, notes);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    throw usageError(
      `${folder} cannot be read as a folder, such as /var/lib/cni/networks/NETWORK: ${(error as Error).message}`,
    );
  }
}

function entryOf(
  address: ForeignAddress["address"],
  file: string,
  text: string,
  { host, network }: { readonly host: string; readonly network: string },
): ForeignAddress {
  const [containerId = "", ifName = IF_NAME_DEFAULT] = text.trim().split(/\r?\n/);
  if (containerId === "") throw usageError(`${file} is empty; it must have the id of a container.`);
  return {
    address,
    handle: handleOfAttachment(network, host, { containerId, ifName }),
    machine: host,
    attributes: { network, containerId, ifName },
    where: file,
  };
}
