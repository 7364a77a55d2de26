/** Codes for the reasons why a pool cannot serve a request. */
export const UNFIT = [
  "not_found",
  "not_named",
  "family",
  "prefixes",
  "length",
  "state",
  "disabled",
  "principal",
  "use",
  "block_too_small",
  "mode",
  "node",
  "namespace",
  "pod",
  "network",
  "reserved",
  "excluded",
  "cooling",
  "full",
] as const;

/** The reason why a pool cannot serve a request. */
export interface Unfit {
  readonly code: (typeof UNFIT)[number];
  /** For a person; it reads on from the pool's name. */
  readonly reason: string;
}
