/** The values of NetBox's choices, each with the label that people read. */
export const ADDRESS_STATUSES = {
  active: "Active",
  reserved: "Reserved",
  deprecated: "Deprecated",
  dhcp: "DHCP",
  slaac: "SLAAC",
} as const;

/** NetBox's roles of addresses. Plat takes other texts too, because a role is an attribute. */
export const ADDRESS_ROLES = {
  loopback: "Loopback",
  secondary: "Secondary",
  anycast: "Anycast",
  vip: "VIP",
  vrrp: "VRRP",
  hsrp: "HSRP",
  glbp: "GLBP",
  carp: "CARP",
} as const;

export const PREFIX_STATUSES = {
  container: "Container",
  active: "Active",
  reserved: "Reserved",
  deprecated: "Deprecated",
} as const;

const LABELS: ReadonlyMap<string, string> = new Map(
  [ADDRESS_STATUSES, ADDRESS_ROLES, PREFIX_STATUSES].flatMap((labels) => Object.entries(labels)),
);

/** Returns a choice of an object: its value, and how a person reads it. */
export const choice = (value: string) => ({
  value,
  label: LABELS.get(value) ?? `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
});
