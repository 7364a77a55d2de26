import fc from "fast-check";

/** Properties try the same cases in every run, so that a failure is the change's that it comes with: `SEED=7 npm test` tries others. */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });
