/** The starts of the handles that nodes have by their own routes: Kubernetes' nodes, and Cilium's. */
const HANDLE_STARTS = ["node/", "cilium/"];

/** Returns true if no request to assign or release addresses may have this handle, because it is a node's. */
export const isOfNode = (handle: string): boolean =>
  HANDLE_STARTS.some((start) => handle.startsWith(start));
