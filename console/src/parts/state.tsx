/** The words of states that ask for attention, and of those that are well. */
const BAD = ["failed", "quarantined", "draining", "deleting", "disabled", "cancelled"];
const GOOD = ["assigned", "done", "confirmed"];

/** A state, as a badge. */
export function State({ state }: { readonly state: string }) {
  const kind = BAD.includes(state) ? "bad" : GOOD.includes(state) ? "good" : "plain";
  return <span class={`state ${kind}`}>{state}</span>;
}
