/**
 * Returns the changes of records that follow from events, and what to remember of each address.
 *
 * Events come in any order and more than once. Each event that tells a name tells all of it, so only the last of them
 * counts, by its sequence. A release and the assignment after it can have the same sequence.
 *
 * @param remembered what was returned as `remember` earlier, by space and address
 * @param events the details of events of Plat
 * @param ttl the seconds for which resolvers keep a record
 */
export function planOf(remembered, events, ttl) {
  const after = new Map(remembered);
  for (const event of events.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))) {
    if (!tellsName(event)) continue;
    const { space, address, sequence } = event;
    const name = nameIn(event);
    const known = after.get(`${space} ${address}`);
    if (known && sequence < known.sequence) continue;
    if (known && sequence === known.sequence && (name === undefined || name === known.name))
      continue;
    after.set(`${space} ${address}`, { address, sequence, name });
  }
  const news = [...after].filter(([key, state]) => remembered.get(key) !== state);
  const deletions = news.flatMap(([key, { address, name }]) => {
    const was = remembered.get(key)?.name;
    if (was === undefined || was === name) return [];
    return [
      change("DELETE", forward(was, address, ttl)),
      ...(name === undefined ? [change("DELETE", reverse(was, address, ttl))] : []),
    ];
  });
  const writes = news.flatMap(([, { address, name }]) =>
    name === undefined
      ? []
      : [
          change("UPSERT", forward(name, address, ttl)),
          change("UPSERT", reverse(name, address, ttl)),
        ],
  );
  // A name may move from one address to another, so deletions come first.
  return { changes: [...deletions, ...writes], remember: new Map(news) };
}

/** Returns false for a change that left the attributes as they were, and for one of a prefix, which has no name. */
const tellsName = ({ type, address, before, after }) =>
  type !== "AddressChanged" ||
  (!address.includes("/") && (before?.attributes ?? after.attributes) !== undefined);

/** Returns the name of an address after an event: that of its attribute `dns`, and none after its release. */
function nameIn({ type, attributes, after }) {
  if (type === "AddressChanged") return after.attributes?.dns;
  return type === "AddressAssigned" ? attributes?.dns : undefined;
}

const change = (Action, { reverse: isReverse = false, ...ResourceRecordSet }) => ({
  isReverse,
  Action,
  ResourceRecordSet,
});

const forward = (name, address, TTL) => ({
  Name: `${name}.`,
  Type: address.includes(":") ? "AAAA" : "A",
  TTL,
  ResourceRecords: [{ Value: address }],
});

const reverse = (name, address, TTL) => ({
  reverse: true,
  Name: `${reverseName(address)}.`,
  Type: "PTR",
  TTL,
  ResourceRecords: [{ Value: `${name}.` }],
});

/** Returns the name of an address in the reverse zones (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export function reverseName(address) {
  if (!address.includes(":")) return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  const [head = "", tail = ""] = address.split("::");
  const [before, behind] = [head, tail].map((part) => part.split(":").filter(Boolean));
  const zeros = Array(8 - before.length - behind.length).fill("0");
  const digits = [...before, ...zeros, ...behind].map((group) => group.padStart(4, "0")).join("");
  return `${[...digits].reverse().join(".")}.ip6.arpa`;
}
