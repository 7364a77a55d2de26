import * as v from "valibot";
import { ASSIGNMENT_MODES, BORROWING, USES } from "../domain/pool.ts";
import { UNFIT } from "../domain/selection.ts";
import { affinityType } from "./field.ts";
import { PROBLEMS, type ProblemCode } from "./problem.ts";

/** What answers look like: what the OpenAPI document says of them, and what every test of the API holds them against. */

const requestId = v.pipe(v.string(), v.description("Finds the request in the log"));
const family = v.picklist([4, 6]);
const time = v.pipe(v.string(), v.isoTimestamp());
const effectiveAt = v.pipe(time, v.description("From then on everybody acts on it"));
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const count = v.union([
  whole,
  v.pipe(v.string(), v.regex(/^\d{16,39}$/), v.description("A count beyond 2^53 - 1")),
]);
const next = v.optional(
  v.pipe(v.string(), v.description("Hand it back as ?cursor= for the next page")),
);
const dryRun = v.optional(v.literal(true));
const problemCode = v.picklist(Object.keys(PROBLEMS) as ProblemCode[]);

const maxBlocksPerHost = v.pipe(v.nullable(whole), v.description("null: there is no cap"));

export const missingOfFamily = v.strictObject({ family, count: whole, code: problemCode });
const missing = v.array(missingOfFamily);

const candidate = {
  family: v.pipe(family, v.description("For which it was considered")),
  pool: v.pipe(
    v.string(),
    v.description("Its name; what the request calls it where there is none"),
  ),
  cidr: v.optional(v.string()),
  kept: v.pipe(v.boolean(), v.description("May it serve the request?")),
  reason: v.optional(
    v.pipe(v.picklist(UNFIT), v.description("The rule by which it may not, for programs")),
  ),
  detail: v.optional(v.pipe(v.string(), v.description("Why it may not, for people"))),
};

export const fieldAtFault = v.strictObject({
  field: v.string(),
  value: v.optional(v.unknown()),
  problem: v.string(),
});

export const unreadableItem = v.strictObject({
  item: v.pipe(v.string(), v.description("What it is called, such as `pool main`")),
  format: v.optional(v.pipe(v.number(), v.description("The format that it has"))),
  reads: v.optional(v.pipe(v.number(), v.description("The format that this version reads"))),
  reason: v.string(),
});

const unreadable = v.optional(
  v.pipe(
    v.array(unreadableItem),
    v.description("What belongs to the list and cannot be read by this version"),
  ),
);

const whyUnreadable = v.optional(
  v.pipe(v.string(), v.description("Of `unreadable`: what cannot be read, and why")),
);

/** RFC 9457. A problem may have members of its own beyond these. */
export const problem = v.looseObject({
  type: v.string(),
  title: v.string(),
  status: v.pipe(v.number(), v.integer()),
  detail: v.string(),
  code: problemCode,
  retryable: v.boolean(),
  requestId,
  fields: v.optional(v.array(fieldAtFault)),
  retryAfterSeconds: v.optional(whole),
  missing: v.optional(missing),
  poolsTried: v.optional(whole),
  poolsServing: v.optional(whole),
  pools: v.optional(
    v.pipe(
      v.array(
        v.looseObject({
          pool: candidate.pool,
          reason: candidate.reason,
          detail: candidate.detail,
        }),
      ),
      v.description("The pools that were considered"),
    ),
  ),
});

export const hostReserved = v.strictObject({
  start: whole,
  end: whole,
  handle: v.optional(v.string()),
  note: v.optional(v.string()),
});

export const refusal = v.looseObject({ code: problemCode, detail: v.string() });

export const assignedAddress = v.strictObject({
  address: v.string(),
  family,
  block: v.string(),
  pool: v.string(),
  generation: v.string(),
  borrowed: v.boolean(),
  expiresAt: v.optional(time),
});

export const assignment = v.strictObject({
  requestId,
  handle: v.string(),
  addresses: v.array(assignedAddress),
  requested: whole,
  hostReserved: v.optional(
    v.pipe(
      v.union([
        hostReserved,
        v.strictObject({ ipv4: v.optional(hostReserved), ipv6: v.optional(hostReserved) }),
      ]),
      v.description("Kept by the host in blocks that this request claimed"),
    ),
  ),
  messages: v.array(v.string()),
  missing,
});

export const poolConsidered = v.strictObject(candidate);

export const blockToUse = v.strictObject({
  action: v.picklist(["own", "claim", "takeOver", "borrow", "held"]),
  block: v.string(),
  pool: v.string(),
  count: whole,
});

export const familyExplanation = v.strictObject({
  family,
  requested: whole,
  refusal: v.optional(refusal),
  pools: v.array(poolConsidered),
  blocks: v.array(blockToUse),
});

export const explanation = v.strictObject({
  requestId,
  dryRun: v.literal(true),
  requested: whole,
  refusal: v.optional(refusal),
  messages: v.array(v.string()),
  missing,
  families: v.array(familyExplanation),
});

export const assigned = v.union([assignment, explanation]);

const allReleased = {
  released: v.pipe(v.array(v.string()), v.description("The addresses that this request gave back")),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Is nothing left of what there was when this request began? If not, send the same request again: until `complete`, or until two answers in a row have `progressed` false and name the same `unreadable` items",
    ),
  ),
  progressed: v.pipe(
    v.boolean(),
    v.description(
      "Did this request get further: give an address back, or finish an assignment that was given back before? One that only had time to look did not",
    ),
  ),
  unreadable: v.optional(
    v.pipe(
      v.array(unreadableItem),
      v.description(
        "Items that this version cannot read: blocks, assignment records, or what says which blocks a host has. What they hold stays assigned, all else is given back, and no repeat is `complete` before they are mended",
      ),
    ),
  ),
};

export const handleReleased = v.strictObject({ requestId, handle: v.string(), ...allReleased });

const host = { host: v.string(), affinityType };

export const hostReleased = v.strictObject({ requestId, ...host, ...allReleased });

export const releaseResult = v.strictObject({
  address: v.string(),
  status: v.pipe(
    v.picklist(["released", "not_assigned", "conflict", "unfinished"]),
    v.description("`unfinished`: send it again"),
  ),
  code: v.optional(problemCode),
  detail: v.optional(v.string()),
});

export const addressesReleased = v.strictObject({
  requestId,
  results: v.array(releaseResult),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Has each address a final result? If not, send those that are `unfinished` again",
    ),
  ),
});

export const released = v.union([handleReleased, hostReleased, addressesReleased]);

const attributes = v.record(v.string(), v.string());

/** A side without an owner is absent. */
export const owner = v.strictObject({
  active: v.optional(attributes),
  alternate: v.optional(attributes),
});

export const amended = v.strictObject({
  requestId,
  address: v.string(),
  handle: v.string(),
  expiresAt: v.optional(time),
  owner,
});

/** Of an address, what concerns its owner. */
const ownership = {
  state: v.picklist(["assigned", "cooling", "free", "hostReserved"]),
  handle: v.optional(v.string()),
  host: v.optional(v.string()),
  generation: v.optional(v.string()),
  borrowed: v.optional(v.boolean()),
  assignedAt: v.optional(time),
  expiresAt: v.optional(time),
  availableAt: v.optional(time),
};

const address = {
  address: v.string(),
  family,
  block: v.string(),
  pool: v.string(),
  ...ownership,
  attributes: v.optional(attributes),
  assignedBy: v.optional(
    v.pipe(
      v.string(),
      v.description(
        "The ARN of the IAM principal whose request it was assigned by; absent where callers are not authenticated",
      ),
    ),
  ),
  owner: v.optional(owner),
};

export const heldAddress = v.strictObject(address);
export const addressRead = v.strictObject({ requestId, ...address });

export const handleRead = v.strictObject({
  requestId,
  handle: v.string(),
  addresses: v.array(heldAddress),
  next,
});

const usage = {
  capacity: count,
  inUse: count,
  held: v.pipe(count, v.description("Kept by hosts for themselves")),
  reserved: count,
  cooling: count,
  available: count,
};

const block = {
  cidr: v.string(),
  pool: v.string(),
  host: v.optional(v.string()),
  affinityType: v.optional(affinityType),
  borrowed: v.optional(v.boolean()),
  hostReserved: v.optional(hostReserved),
  ...usage,
  claimedAt: time,
  idleSince: v.optional(time),
};

export const usageCounted = v.strictObject(usage);
export const blockUsage = v.strictObject({ cidr: v.string(), ...usage });
export const blockStanding = v.strictObject(block);
export const addressInBlock = v.strictObject({ address: v.string(), ...ownership });

export const blocksRead = v.strictObject({
  requestId,
  blocks: v.array(blockStanding),
  unreadable,
  next,
});

export const affinitiesRead = v.strictObject({
  requestId,
  ...host,
  affinities: v.array(
    v.strictObject({
      cidr: v.string(),
      pool: v.optional(v.string()),
      state: v.picklist(["pending", "confirmed", "pendingDeletion"]),
      borrowed: v.boolean(),
      claimedAt: v.optional(time),
      used: v.optional(whole),
    }),
  ),
  unreadable,
  next,
});

export const spaceAffinitiesRead = v.strictObject({
  requestId,
  affinities: v.array(
    v.strictObject({
      cidr: v.string(),
      pool: v.string(),
      ...host,
      state: v.pipe(
        v.picklist(["pending", "confirmed", "pendingDeletion"]),
        v.description("A claim whose block does not stand yet is in its host's own list alone"),
      ),
      claimedAt: time,
      used: v.pipe(whole, v.description("Its addresses that are assigned, to whomever")),
    }),
  ),
  unreadable,
  next,
});

export const rangeClaimed = v.strictObject({
  requestId,
  ...host,
  pool: v.string(),
  blocks: v.array(
    v.strictObject({
      cidr: v.string(),
      status: v.picklist(["claimed", "not_owned", "block_limit", "contended", "unreadable"]),
      host: v.optional(v.string()),
      affinityType: v.optional(affinityType),
      reason: whyUnreadable,
    }),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Has this answer come to the end of the range? If not, `next` goes on. What became of each block is its `status`",
    ),
  ),
  maxBlocksPerHost,
  next,
});

export const blocksEnsured = v.strictObject({
  requestId,
  ...host,
  blocks: v.array(v.strictObject({ family, cidr: v.string(), pool: v.string() })),
});

export const affinitiesClaimed = v.union([rangeClaimed, blocksEnsured]);

export const affinitiesReleased = v.strictObject({
  requestId,
  ...host,
  affinities: v.array(
    v.strictObject({
      cidr: v.string(),
      status: v.picklist([
        "deleted",
        "disowned",
        "not_empty",
        "not_owned",
        "contended",
        "unreadable",
      ]),
      inUse: v.optional(whole),
      cooling: v.optional(whole),
      reason: whyUnreadable,
    }),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Is this the last page, and has it no block that is `contended` or `unreadable`? Earlier pages are not counted: each tells of its own blocks",
    ),
  ),
  next,
});

export const blockRead = v.strictObject({
  requestId,
  ...block,
  addresses: v.array(addressInBlock),
  next,
});

export const utilizationRead = v.strictObject({
  requestId,
  pool: v.string(),
  cidr: v.string(),
  ...usage,
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Is this the last page, on which the sums are those of the whole pool? On any other they are those of the blocks so far",
    ),
  ),
  blocks: v.array(blockUsage),
  outsideBlocks: v.optional(usageCounted),
  next,
});

export const spaceUtilizationRead = v.strictObject({
  requestId,
  pools: v.array(
    v.strictObject({
      pool: v.string(),
      cidr: v.string(),
      ...usage,
      outsideBlocks: usageCounted,
    }),
  ),
  orphans: v.optional(
    v.pipe(v.array(blockStanding), v.description("Blocks of no pool, where they are asked for")),
  ),
  unreadable: v.optional(
    v.pipe(
      v.array(unreadableItem),
      v.description(
        "Blocks, where those of no pool are asked for, of which nobody can read whether they are",
      ),
    ),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Is this the last page? Each pool is told once, as a whole, whatever page it is on",
    ),
  ),
  next,
});

const pool = {
  name: v.string(),
  cidr: v.string(),
  blockSize: whole,
  disabled: v.boolean(),
  assignmentMode: v.picklist(ASSIGNMENT_MODES),
  allowedUses: v.array(v.picklist(USES)),
  nodeSelector: v.optional(v.string()),
  namespaceSelector: v.optional(v.string()),
  borrowing: v.picklist(BORROWING),
  cooldownSeconds: v.optional(whole),
  routing: v.optional(v.record(v.string(), v.union([v.string(), v.boolean()]))),
  state: v.optional(v.string()),
  job: v.optional(v.string()),
};

/** What an operator's write adds to what stands there now, or to what would. */
const written = { effectiveAt: v.optional(effectiveAt), dryRun };

const ignored = v.optional(
  v.pipe(
    v.array(v.string()),
    v.description("The other manifests of the body, by kind and name: they are not applied"),
  ),
);

export const poolRead = v.strictObject(pool);
export const poolsRead = v.strictObject({ pools: v.array(poolRead), unreadable, next });
export const poolWritten = v.strictObject({ ...pool, ...written, ignored });

const reservation = {
  name: v.string(),
  cidrs: v.array(v.string()),
  reason: v.optional(v.string()),
};

export const reservationRead = v.strictObject(reservation);
export const reservationsRead = v.strictObject({
  reservations: v.array(reservationRead),
  unreadable,
  next,
});
export const reservationWarning = v.strictObject({
  pool: v.string(),
  cidr: v.string(),
  inUse: v.pipe(
    whole,
    v.description("Assigned addresses that it covers; at least so many where not `complete`"),
  ),
  complete: v.pipe(v.boolean(), v.description("Was every block of the pool looked at?")),
  unreserved: v.pipe(
    count,
    v.description("Addresses of the pool that no reservation covers: for automatic assignment"),
  ),
  detail: v.string(),
});
export const reservationWritten = v.strictObject({
  ...reservation,
  ...written,
  warnings: v.optional(
    v.pipe(
      v.array(reservationWarning),
      v.description(
        "Pools in which it covers assigned addresses, or of which it leaves none for automatic assignment",
      ),
    ),
  ),
});
export const reservationDeleted = v.strictObject(written);

const labelled = {
  name: v.string(),
  labels: v.record(v.string(), v.string()),
};

export const labelledRead = v.strictObject(labelled);
export const nodesRead = v.strictObject({ nodes: v.array(labelledRead), unreadable, next });
export const namespacesRead = v.strictObject({
  namespaces: v.array(labelledRead),
  unreadable,
  next,
});
export const labelledWritten = v.strictObject({ ...labelled, ...written, ignored });
export const labelledDeleted = v.strictObject(written);

const settings = {
  strictAffinity: v.boolean(),
  autoAllocateBlocks: v.boolean(),
  warmBlocksPerHost: whole,
  cooldownSeconds: whole,
  blockMinAgeSeconds: whole,
  maxBlocksPerHost,
  maxAddressesPerRequest: whole,
  allowBareRelease: v.boolean(),
  requireRegisteredHosts: v.boolean(),
};

export const settingsRead = v.strictObject(settings);
export const settingsWritten = v.strictObject({ ...settings, ...written });

export const walk = v.strictObject({
  cells: whole,
  blocks: whole,
  deleted: whole,
  taken: whole,
  cooling: whole,
});

export const jobRead = v.strictObject({
  id: v.string(),
  space: v.string(),
  kind: v.picklist(["pool.drain", "pool.delete", "pool.release"]),
  pool: v.string(),
  mustBeEmpty: v.optional(v.literal(true)),
  state: v.picklist(["running", "done", "failed", "cancelled"]),
  detail: v.string(),
  progress: v.strictObject({ current: v.optional(walk), last: v.optional(walk) }),
  createdAt: time,
  updatedAt: time,
  finishedAt: v.optional(time),
});
export const jobsRead = v.strictObject({ jobs: v.array(jobRead), unreadable, next });
export const jobBegun = v.strictObject({ job: jobRead, effectiveAt: v.optional(effectiveAt) });
export const jobRehearsed = v.strictObject({ job: jobRead, dryRun: v.literal(true) });

export const contentsRead = v.strictObject({
  requestId,
  contents: v.pipe(
    v.record(v.string(), v.array(v.unknown())),
    v.description(
      'Items by their kind, as the product has them: {"$map": [[key, value]]}, {"$set": []}, {"$bigint": ""} and {"$bytes": base64} stand for what JSON has no words for, and any other key that begins with $ has one $ more',
    ),
  ),
  next,
});

export const health = v.strictObject({ status: v.picklist(["ok", "ready"]) });
