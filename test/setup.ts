import fc from "fast-check";

/**
 * Property tests try the same cases in every run, so that a change causes each new failure. `SEED=7 npm test` tries
 * others.
 */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });
