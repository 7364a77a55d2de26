export const ADDRESSES_PER_REQUEST_DEFAULT = 256;
export const COOLDOWN_SECONDS_DEFAULT = 30;
/** The time in which nobody gets an address after a report that something else uses it. */
export const CONFLICT_QUARANTINE_SECONDS_DEFAULT = 3_600;
/** A day. Reserve an address that must stay out of use for longer. */
export const CONFLICT_QUARANTINE_SECONDS_MAX = 86_400;
