/** Returns items in groups by what a function returns for each. Groups come in the order of their first items. */
export function groupedBy<Item, Group>(
  items: Iterable<Item>,
  groupOf: (item: Item) => Group,
): Map<Group, Item[]> {
  const groups = new Map<Group, Item[]>();
  for (const item of items) {
    const group = groupOf(item);
    const others = groups.get(group);
    if (others) others.push(item);
    else groups.set(group, [item]);
  }
  return groups;
}
