/**
 * Acts under a signal of its own, which a longer one aborts too, and lets go of the longer one afterwards. `AbortSignal.any`
 * leaves an entry in it for each call, as long as it lives (Node.js 20).
 */
export async function withOwnSignal<Result>(
  longer: AbortSignal | undefined,
  act: (own: AbortController) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  const abort = () => own.abort(longer?.reason);
  if (longer?.aborted) abort();
  longer?.addEventListener("abort", abort, { once: true });
  try {
    return await act(own);
  } finally {
    longer?.removeEventListener("abort", abort);
  }
}
