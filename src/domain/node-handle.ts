/**
 * Returns the handle of one incarnation of a node. The uid is in it, so a late act for another incarnation names another
 * handle.
 */
export const nodeHandle = (node: string, uid: string): string => `${PREFIX}${node}/${uid}`;

/** Returns the node and the uid of a handle; nothing for a handle that is no node's. A node's name has no slash. */
export function nodeOfHandle(
  handle: string,
): { readonly node: string; readonly uid: string } | undefined {
  if (!handle.startsWith(PREFIX)) return undefined;
  const [node, uid, ...others] = handle.slice(PREFIX.length).split("/");
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

const PREFIX = "node/";
const CILIUM_PREFIX = "cilium/";
