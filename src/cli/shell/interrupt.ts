/**
 * Does this at Ctrl-C, in place of the end of the process, until what it returns is called.
 *
 * It keeps listening after the first Ctrl-C: `signal-exit`, which the spinner uses to show the cursor again, ends the process
 * where it finds no other listener by its own turn.
 */
export function onInterrupt(act: () => void): () => void {
  process.on("SIGINT", act);
  return () => process.off("SIGINT", act);
}
