import type * as v from "valibot";
import type * as answers from "../../../src/contract/answers.ts";
import type { SignIn } from "../../../src/nouns/console/contract/sign-in.ts";

export type { SignIn };

/** An answer of the API, as its contract has it. */
export type Answer<Name extends keyof typeof answers> =
  (typeof answers)[Name] extends v.GenericSchema ? v.InferOutput<(typeof answers)[Name]> : never;

export type Pool = Answer<"poolRead">;
export type PoolHistory = Answer<"poolHistoryRead">;
export type Block = Answer<"blockStatus">;
export type BlockRead = Answer<"blockRead">;
export type AddressRead = Answer<"addressRead">;
export type HeldAddress = Answer<"heldAddress">;
export type AddressState = AddressRead["state"];
export type MappedGroup = Answer<"mappedGroup">;
export type MappedBlocks = Answer<"mappedBlocks">;
export type Usage = Answer<"usageCounted">;
export type Event = Answer<"eventsRead">["events"][number];
export type Job = Answer<"jobRead">;
export type Reservation = Answer<"reservationRead">;
export type Affinity = Answer<"affinitiesRead">["affinities"][number];
/** A host is a machine, or a virtual owner of the same name. */
export type HostType = Answer<"hostsRead">["hosts"][number]["affinityType"];
export type Problem = Answer<"problem">;
export type UnreadableItem = Answer<"unreadableItem">;
