import type { Branch } from "./coverage.ts";

/** Branches that need not come up in a hundredth of the runs, for one reason. */
interface Excuse {
  readonly why: string;
  /** The file, and how the branch begins, as the report has it; what lies in it is excused with it. */
  readonly branches: readonly (readonly [file: string, text: string])[];
}

/** The list is to stay short: what can be reached, is. */
const EXCUSES: readonly Excuse[] = [
  {
    why: "Only the compiler asks: what stands before it sees to it that this never comes up.",
    branches: [
      ["assign.ts", "free ?? []"],
      ["assign.ts", "has ?? [], request"],
      ["claim.ts", 'return { kind: "busy" }; if (standing.revision'],
      ["collect.ts", "continue; const block = await"],
      ["end.ts", "] : [])); return new Set(given"],
      ["jobs.ts", "finishedAtMs ?? job.updatedAtMs"],
      ["limit.ts", "return undefined; const { handleHash"],
      ["limit.ts", "undefined ? undefined : parseAddress"],
      ["limit.ts", "return undefined; return grantedAt"],
      ["limit.ts", '} as well` : ""'],
      ["mark-pool.ts", "throw new Contended"],
      ["memory.ts", "return; const key = hostKey(block"],
      ["pick-address.ts", "return []; const block"],
      ["pool-jobs.ts", ")) ?? job) : job"],
      ["pool-jobs.ts", "item ?? wanted"],
      ["reclaim.ts", "size ?? 0) > 0"],
      ["amend.ts", "refusal ?? over(address)"],
      ["read.ts", 'hostReserved ?? {}; return { state: "hostReserved"'],
      ["wish.ts", '] ?? "Workload"; return whyNot'],
    ],
  },
  {
    why: "A space this small comes nowhere near the maximum; memory.test.ts has those of the memory, amend.test.ts of records.",
    branches: [
      ["amend.ts", "return tooLarge(address)"],
      ["assign.ts", "return tooLarge(request, named)"],
      ["administration.ts", 'return new Refusal("invalid_request", `A space has at most'],
      ["administration.ts", 'return new Refusal( "invalid_request", `A space has at most'],
      ["memory.ts", "this.#configurations.clear()"],
      ["memory.ts", "this.#cells.clear()"],
      ["memory.ts", "this.#loans.clear()"],
      ["memory.ts", "{ const [quietest, forgotten]"],
      ["pool-jobs.ts", '"" : "At least "'],
    ],
  },
  {
    why: "Nobody writes what cannot be read; test/functions/unreadable.test.ts has it.",
    branches: [
      ["claim.ts", 'return { kind: "busy" }; if (there?.host'],
      ["claim.ts", "return error; throw error"],
    ],
  },
  {
    why: "Pools come in this order already, as a Query answers.",
    branches: [["reclaim.ts", "name ? -1 : 1)"]],
  },
  {
    why: "V8 does not count the calls of a function without branches that it has compiled: this one is too hot.",
    branches: [["context.ts", "context: Context): string => freshId"]],
  },
  {
    why: "Something must land, or a worker come by, after its pool is gone; jobs.test.ts has each case.",
    branches: [
      ["collect.ts", "done.straysDeleted++"],
      ["collect.ts", ")) && giveUpBlock(context, seen)"],
      ["collect.ts", "await context.store.deleteMapPage(seen)"],
      ["collect.ts", "const { poolIds } = await context.store.readSpace"],
      ["jobs.ts", 'return endJob(context, job, "done", "The pool is gone.")'],
      ["mark-pool.ts", 'return endJob(context, job, "done", "The pool is gone.")'],
      ["mark-pool.ts", 'return endJob(context, job, "cancelled", DELETED_MEANWHILE)'],
      ["mark-pool.ts", 'not: "deleting" && disabled'],
      ["pick-address.ts", "throw new Contended( `block "],
      ["reclaim.ts", ") ?? pool; done.taken"],
      ["reclaim.ts", "continue; const judgement"],
      ["mark-pool.ts", 'return endJob(context, job, "failed"'],
      ["retire-pool.ts", "return undefined; await announceChange"],
    ],
  },
  {
    why: "Somebody must get in between two given calls of one walk, or does so every time: it happens, in fewer runs.",
    branches: [
      ["administration.ts", "await store.changePlan(plan, others"],
      ["administration.ts", 'going ? ", which is being deleted"'],
      ["administration.ts", "going && { retryable"],
      ["administration.ts", 'return createdMeanwhile("pool", name); // A pool'],
      ["administration.ts", 'return createdMeanwhile("pool", name); return { value: active'],
      [
        "administration.ts",
        'return changedMeanwhile("reservation", name); return { value: undefined',
      ],
      ["assign.ts", "} catch (thrown)"],
      ["assign.ts", "{ await withdraw(attempt); startOver(attempt);"],
      ["assign.ts", "startOver(attempt); return undefined"],
      ["assign.ts", "record : undefined; return undefined"],
      ["claim.ts", 'return { kind: "busy" }; await enterCell'],
      ["collect.ts", "return false; } // Rule 5: meanwhile the author"],
      ["collect.ts", 'not: kept && row.state !== "confirmed"'],
      ["collect.ts", '{ await store.putLoan("loan"'],
      ["configuration.ts", "not: ) ?? find(now"],
      ["end.ts", "0 ? (await giveBack(context, tag, left)).freed"],
      ["end.ts", ")).freed : []; return addressesOf(part, [...seen.freed"],
      ["give-back.ts", "not: cools ||"],
      ["give-back.ts", 'not: "cooling" && slot.token'],
      ["identify.ts", "return undefined; }"],
      ["limit.ts", "not: record && (await grantedAt"],
      ["limit.ts", "not: block && heldBy(block, part.token)"],
      ["loan.ts", "return false; }"],
      ["pool-jobs.ts", 'not: "running" && job.markedAtMs'],
      ["pool-jobs.ts", 'return changedMeanwhile("pool", job.pool)'],
      ["pool-jobs.ts", "markedAtMs ?? context.now()"],
      ["pool-jobs.ts", "const again = await settled"],
      ["pool-jobs.ts", "not: item ?? wanted"],
      ["read.ts", "return base; }"],
      ["release.ts", "item : undefined; } throw new Contended"],
      ["release.ts", "address: string): ReleaseResult => ({"],
      ["amend.ts", 'return new Refusal( "request_in_progress"'],
      ["amend.ts", "throw new Unavailable"],
      ["amend.ts", ") : over(address); } if (leaseSeconds"],
      ["pick-address.ts", 'undefined ? "the host before"'],
      ["read.ts", "undefined && { host: hostName(host) }"],
      ["read.ts", "not: undefined && { host: hostName(host) }"],
      ["resume.ts", 'return { kind: "gone" }; record = again'],
      ["resume.ts", "throw new Contended"],
      ["resume.ts", "record : undefined; }"],
      ["resume.ts", "not: block && ordinals.length"],
      ["stamp.ts", "throw new Contended"],
      ["stamp.ts", "not: standing && next.place.keyed"],
    ],
  },
];

/** Why a branch need not come up more often, or nothing: by itself, or by one in which it lies. */
export function excuseOf(branches: readonly Branch[]): string | undefined {
  return EXCUSES.find((excuse) =>
    excuse.branches.some(([file, text]) =>
      branches.some((branch) => branch.file === file && branch.text.startsWith(text)),
    ),
  )?.why;
}
