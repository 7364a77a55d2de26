/**
 * Replaces `@smithy/core/event-streams` in bundles. The SDK loads it for operations whose body is a stream of events,
 * such as SelectObjectContent of S3, and a function calls none of them. Their code would take an eighth of the time of a cold start.
 */
const refuse = (): never => {
  throw new Error("no function calls an operation with a stream of events");
};

/** The SDK makes one for such an operation. */
export const EventStreamSerde = refuse;

/** The client of S3 makes one for its configuration, and uses it for such an operation only. */
export const eventStreamSerdeProvider = () => ({ serialize: refuse, deserialize: refuse });

/** Leaves a configuration as it is. */
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
