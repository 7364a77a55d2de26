/**
 * Returns the name of the pool of prefixes for one network of a pool of Cilium: `mars.10-10-0-0-16`. Cilium's pools have a number of
 * networks, and Plat's have one.
 *
 * @param cidr the network in its canonical text
 */
export const poolNameOf = (ciliumPool: string, cidr: string): string =>
  `${ciliumPool}.${cidr.replaceAll(/[./:]/g, "-")}`;

/** Returns true if a pool of prefixes is one of Cilium's pool: it has the same name, or that name and more after a dot. */
export const isPoolOf = (ciliumPool: string, { name }: { readonly name: string }): boolean =>
  name === ciliumPool || name.startsWith(`${ciliumPool}.`);
