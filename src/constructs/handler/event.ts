import { createHash } from "node:crypto";
import type { CloudFormationCustomResourceEvent } from "aws-lambda";

/** The properties of a resource as CloudFormation sends them: texts, whatever the template has. */
export type Properties = Readonly<Record<string, string | undefined>>;

/** The resource that has an address, a prefix or a pool, as Plat stores it with them. */
export interface StackResource {
  /** The ARN of the stack. */
  readonly stack: string;
  /** The logical id of the resource in its stack. */
  readonly resource: string;
}

/** Returns the resource that an event is about. */
export const stackResourceOf = ({
  StackId,
  LogicalResourceId,
}: CloudFormationCustomResourceEvent): StackResource => ({
  stack: StackId,
  resource: LogicalResourceId,
});

/** Returns the part of a stack's ARN that no other stack has, also none of the same name. */
export const uuidOf = ({ stack }: StackResource): string => stack.split("/").at(-1) ?? stack;

/** Returns a short text that differs if a value does; absent properties count as left out. */
export const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, DIGEST_CHARACTERS);

/** The digests of one resource differ in 48 bits: those of its own versions are all that must not meet. */
const DIGEST_CHARACTERS = 12;

/** A request that the handler does not carry out, with a sentence for the events of the stack. */
export class Refused extends Error {}
