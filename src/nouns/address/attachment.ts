/** One interface of one container, which a network of CNI has once on a host. */
export interface AttachmentNamed {
  readonly containerId: string;
  readonly ifName: string;
}

/** The attribute with the uid of the pod that addresses are for. The end of this pod ends them. */
export const POD_UID = "podUid";

/** Returns the handle of an attachment: the same in ADD, CHECK, DEL and GC, and another one on each host. */
export const handleOfAttachment = (
  network: string,
  host: string,
  attachment: AttachmentNamed,
): string => `${prefixOf(network, host)}${textOfAttachment(attachment)}`;

/** Returns an attachment of a network on a host as one text. */
export const textOfAttachment = ({ containerId, ifName }: AttachmentNamed): string =>
  `${containerId}/${ifName}`;

/** Returns the attachment that a handle names; nothing if it is of another network or another host. */
export function attachmentOf(
  handle: string,
  network: string,
  host: string,
): AttachmentNamed | undefined {
  const prefix = prefixOf(network, host);
  if (!handle.startsWith(prefix)) return undefined;
  const [containerId = "", ifName = "", ...more] = handle.slice(prefix.length).split("/");
  return containerId && ifName && more.length === 0 ? { containerId, ifName } : undefined;
}

const prefixOf = (network: string, host: string) => `cni/${network}/${host}/`;
