/**
 * The suite's assumptions about AWS. Every time that it reports follows from these numbers. A
 * reader who doubts a number can change it here and run the suite again.
 */

/**
 * The time of a GetItem, a write, or an empty page, between a function and the table in the same
 * region.
 */
export const CALL_MS = 4;
/** The additional time of a page of a Query or a Scan for each megabyte that it reads. */
export const PAGE_MS_PER_MB = 40;

/**
 * The units of a partition per second
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
 */
export const PARTITION_READ_UNITS_PER_S = 3_000;
export const PARTITION_WRITE_UNITS_PER_S = 1_000;
/**
 * The maximum that a Query or a Scan reads
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html).
 */
export const PAGE_BYTES_MAX = 1_048_576;
/** Sizes of units (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html). */
export const READ_UNIT_BYTES = 4_096;
export const WRITE_UNIT_BYTES = 1_024;

/** The time-outs of the functions, as `cdk/service.ts` sets them. */
export const REQUEST_TIMEOUT_MS = 10_000;
export const PASS_TIMEOUT_MS = 60_000;
/** The schedules' rate, as `cdk/environments.ts` sets it. */
export const MINUTE_MS = 60_000;
/** The shards of a schedule, as a large environment chooses them (`shardsPerSchedule`). */
export const SHARDS_PER_SCHEDULE = 1;

/** The memory of every function, as `cdk/function.ts` sets it. */
export const MEMORY_MB = 512;
/**
 * The memory with which a function has a whole processor. With less it has a share of one
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html).
 */
export const PROCESSOR_MB = 1_769;
/** Processor time of a call with the SDK, without its answer; DESIGN.md, section 6. */
const CALL_PROCESSOR_MS = 0.3;
/**
 * Processor time of an answer: parsing, unmarshalling and reading it as blocks takes 9 ms for 64
 * full blocks of 64.
 */
const PROCESSOR_MS_PER_MB = 85;

/** Returns the time that a function needs to process the answer of a call. */
export const processorMs = (bytes: number, memoryMb: number): number =>
  ((CALL_PROCESSOR_MS + (bytes / 1_048_576) * PROCESSOR_MS_PER_MB) * PROCESSOR_MB) / memoryMb;
