import type { Block } from "../../kernel/values/block.ts";
import type { CountedBlock } from "./usage.ts";

/** A block as a map shows it: its place, its host, and the states of its addresses. */
export type MappedBlock = Pick<Block, "space" | "poolId" | "host"> & CountedBlock;
