/** A wrong use of the command; the message is a sentence for the terminal. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
