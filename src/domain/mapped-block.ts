import type { Block } from "./block.ts";
import type { CountedBlock } from "./usage.ts";

/** What a map shows of a block: its place, its host, and the states of its addresses. */
export type MappedBlock = Pick<Block, "space" | "poolId" | "host"> & CountedBlock;
