/**
 * Returns the handle of one incarnation of a node. The uid is in it, so a late act for another incarnation names another
 * handle.
 */
export const nodeHandle = (node: string, uid: string): string => `${NODE_PREFIX}${node}/${uid}`;

/** Returns the node and the uid of a handle; nothing for a handle that is no node's. A node's name has no slash. */
export function nodeOfHandle(
  handle: string,
): { readonly node: string; readonly uid: string } | undefined {
  if (!handle.startsWith(NODE_PREFIX)) return undefined;
  const [node, uid, ...others] = handle.slice(NODE_PREFIX.length).split("/");
  return node && uid && others.length === 0 ? { node, uid } : undefined;
}

/** Returns the handle of the addresses that one incarnation of a node has by Cilium's mode `crd`. */
export const ciliumHandle = (node: string, uid: string): string => `${CILIUM_PREFIX}${node}/${uid}`;

/** Returns the handle of the prefixes that one incarnation of a node has of one of Cilium's pools, in mode `multi-pool`. */
export const ciliumPoolHandle = (node: string, uid: string, pool: string): string =>
  `${ciliumHandle(node, uid)}/${pool}`;

/** Returns the node, the uid and Cilium's pool of a handle; nothing for another handle. */
export function ciliumPoolOfHandle(
  handle: string,
): { readonly node: string; readonly uid: string; readonly pool: string } | undefined {
  if (!handle.startsWith(CILIUM_PREFIX)) return undefined;
  const [node, uid, ...names] = handle.slice(CILIUM_PREFIX.length).split("/");
  const pool = names.join("/");
  return node && uid && pool ? { node, uid, pool } : undefined;
}

/** Returns the node and the uid of a handle of a CiliumNode, in any of its modes; nothing for another handle. */
export function ciliumNodeOfHandle(
  handle: string,
): { readonly node: string; readonly uid: string } | undefined {
  if (!handle.startsWith(CILIUM_PREFIX)) return undefined;
  const [node, uid] = handle.slice(CILIUM_PREFIX.length).split("/");
  return node && uid ? { node, uid } : undefined;
}

const NODE_PREFIX = "node/";
const CILIUM_PREFIX = "cilium/";

/**
 * Returns true if no request to assign or release addresses may have this handle, because nodes have it by their own routes:
 * Kubernetes' nodes, or Cilium's.
 */
export const isOfNode = (handle: string): boolean =>
  handle.startsWith(NODE_PREFIX) || handle.startsWith(CILIUM_PREFIX);

/**
 * Returns the handle of the prefixes that a caller's handle has. It is none that a caller can name for addresses, so a release of
 * addresses never takes a prefix.
 */
export const prefixHandle = (handle: string): string => `${OF_PREFIXES}${handle}`;

/** Returns the caller's name for a handle of prefixes; nothing for another handle. */
export const handleOfPrefixes = (handle: string): string | undefined =>
  handle.startsWith(OF_PREFIXES) && handle.length > OF_PREFIXES.length
    ? handle.slice(OF_PREFIXES.length)
    : undefined;

const OF_PREFIXES = "prefix/";

/** The characters that `prefixHandle` adds to a handle. */
export const PREFIX_HANDLE_CHARACTERS = OF_PREFIXES.length;
