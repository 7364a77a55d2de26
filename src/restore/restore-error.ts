/** A reason not to restore a table. Its message is a sentence for an operator, without its full stop. Nothing was written. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";
}
