/** Makes a list of resources as kubectl prints it. */
export const listOf = <Item>(items: readonly Item[]) => ({
  apiVersion: "v1",
  items,
  kind: "List",
  metadata: { resourceVersion: "" },
});
