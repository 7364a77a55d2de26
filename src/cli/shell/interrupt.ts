/**
 * Runs a function at Ctrl-C instead of ending the process, until the returned function is called.
 *
 * It keeps listening after the first Ctrl-C. `signal-exit`, which the spinner uses to show the cursor again, ends the
 * process if it finds no other listener when its turn comes.
 */
export function onInterrupt(act: () => void): () => void {
  process.on("SIGINT", act);
  return () => process.off("SIGINT", act);
}
