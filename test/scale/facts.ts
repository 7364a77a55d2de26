import type { Fact, Form } from "./fact.ts";
import { growthFacts } from "./facts/application-growth.ts";
import { applicationFacts } from "./facts/applications.ts";
import { budgetFacts } from "./facts/budget.ts";
import { callFacts } from "./facts/calls.ts";
import { dueFacts } from "./facts/due.ts";
import { fullPoolFacts } from "./facts/full-pools.ts";
import { goesOnFacts } from "./facts/goes-on.ts";
import { instanceFacts } from "./facts/instances.ts";
import { jobFacts } from "./facts/jobs.ts";
import { largeHostFacts } from "./facts/large-host.ts";
import { lendingFacts } from "./facts/lending.ts";
import { prefixFacts } from "./facts/prefixes.ts";
import { rangedPoolFacts } from "./facts/ranged-pools.ts";
import { reclaimedFacts } from "./facts/reclaimed.ts";
import { rejectedFacts, rejectionCallFacts } from "./facts/rejected.ts";
import { releasedFacts } from "./facts/released.ts";
import { searchFacts } from "./facts/searches.ts";
import { servedFacts } from "./facts/served.ts";
import { sweptFacts } from "./facts/swept.ts";
import { unreadableFacts } from "./facts/unreadable.ts";

/** Returns every fact of the suite, at the sizes of a form. */
export const allFacts = (form: Form): readonly Fact[] => [
  ...servedFacts(form),
  ...fullPoolFacts(form),
  ...lendingFacts(form),
  ...rejectedFacts(form),
  ...reclaimedFacts(form),
  ...callFacts(form),
  ...rejectionCallFacts(form),
  ...largeHostFacts(form),
  ...applicationFacts(form),
  ...growthFacts(form),
  ...instanceFacts(form),
  ...rangedPoolFacts(form),
  ...prefixFacts(form),
  ...searchFacts(form),
  ...releasedFacts(form),
  ...dueFacts(form),
  ...jobFacts(form),
  ...budgetFacts(form),
  ...goesOnFacts(form),
  ...unreadableFacts(),
  ...sweptFacts(form),
];
