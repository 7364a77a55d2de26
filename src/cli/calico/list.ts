/** Resources as kubectl prints several of them. */
export const listOf = <Item>(items: readonly Item[]) => ({
  apiVersion: "v1",
  items,
  kind: "List",
  metadata: { resourceVersion: "" },
});
