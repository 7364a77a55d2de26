import type { Fact, Form } from "./fact.ts";
import { reclaimedFacts } from "./facts/reclaimed.ts";
import { servedFacts } from "./facts/served.ts";

/** Everything that the suite states, at the sizes of a form. */
export const allFacts = (form: Form): readonly Fact[] => [
  ...servedFacts(form),
  ...reclaimedFacts(form),
];
