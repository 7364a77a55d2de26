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
      ["list-affinities.ts", "row ?? loan); if (!named)"],
      ["list-affinities.ts", "return []; const pool = block"],
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
      ["renew.ts", "refusal ?? over(address)"],
      ["wish.ts", '] ?? "Workload"; return whyNot'],
    ],
  },
  {
    why: "A space this small comes nowhere near the maximum; memory.test.ts, affinities.test.ts and release-host.test.ts have theirs.",
    branches: [
      ["administration.ts", 'return new Refusal("invalid_request", `A space has at most'],
      ["administration.ts", 'return new Refusal( "invalid_request", `A space has at most'],
      ["copies.ts", "this.#copies.clear()"],
      ["memory.ts", "this.#configurations.clear()"],
      ["memory.ts", "this.#cells.clear()"],
      ["memory.ts", "this.#loans.clear()"],
      ["memory.ts", "{ const [quietest, forgotten]"],
      ["pool-jobs.ts", '"" : "At least "'],
      ["release-affinities.ts", "position || compareAddresses"],
      ["release-affinities.ts", "return { items, next: addressAt"],
      ["release-host.ts", "0 && isSpent()) return"],
      ["release-host.ts", "return { released, complete: false, unreadable }; const some"],
    ],
  },
  {
    why: "Nobody writes what cannot be read; test/functions/unreadable.test.ts has it.",
    branches: [
      ["claim.ts", 'return { kind: "busy" }; if (there?.host'],
      ["claim.ts", "return error; throw error"],
      ["labels.ts", "throw node; return node?.labels"],
      ["nodes.ts", "return undefined; throw error"],
      ["reclaim.ts", "Unreadable ? undefined : node?.labels"],
      ["claim-affinities.ts", 'return { cidr: text, status: "unreadable" }'],
      ["release-affinities.ts", "return { cidr: formatCidr(releasing.cidr), status"],
      ["release-host.ts", "return error; throw error"],
      ["release-host.ts", "{ unreadable.push(name)"],
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
      ["claim-affinities.ts", "break; if (there?.host === host)"],
      ["claim-affinities.ts", '"is disabled"; return new Refusal'],
      ["ensure-blocks.ts", "continue; context.memory.remember"],
      ["ensure-blocks.ts", 'throw new Contended("other hosts'],
      ["ensure-blocks.ts", "throw outOfSight(); const where"],
      ["ensure-blocks.ts", 'return new Refusal( "block_limit"'],
      ["collect.ts", "return false; } // Rule 5: meanwhile the author"],
      ["collect.ts", 'not: kept && row.state !== "confirmed"'],
      ["collect.ts", '{ await store.putLoan("loan"'],
      ["configuration.ts", "not: ) ?? find(now"],
      ["copies.ts", "not: this.#copies.delete(name)"],
      ["end.ts", "0 ? (await giveBack(context, tag, left)).freed"],
      ["end.ts", ")).freed : []; return addressesOf(part, [...seen.freed"],
      ["give-back.ts", "not: cools ||"],
      ["give-back.ts", 'not: "cooling" && slot.token'],
      ["identify.ts", "return undefined; }"],
      ["limit.ts", "not: record && (await grantedAt"],
      ["limit.ts", "not: block && heldBy(block, part.token)"],
      ["loan.ts", "return false; }"],
      ["namespaces.ts", 'seen ? changedMeanwhile("namespace", name) : created'],
      ["namespaces.ts", 'return seen ? changedMeanwhile("namespace", name)'],
      ["namespaces.ts", 'return changedMeanwhile("namespace", name); return { value: undefined'],
      ["nodes.ts", 'return createdMeanwhile("node", name)'],
      ["nodes.ts", 'return changedMeanwhile("node", name)'],
      ["pool-jobs.ts", 'not: "running" && job.markedAtMs'],
      ["pool-jobs.ts", 'return changedMeanwhile("pool", job.pool)'],
      ["pool-jobs.ts", "markedAtMs ?? context.now()"],
      ["pool-jobs.ts", "const again = await settled"],
      ["pool-jobs.ts", "not: item ?? wanted"],
      ["read.ts", "return base; }"],
      ["release-cell.ts", "throw new Contended"],
      ["release-host.ts", "error: unknown) => { if (error instanceof"],
      ["release.ts", "item : undefined; } throw new Contended"],
      ["release.ts", "address: string): ReleaseResult => ({"],
      ["renew.ts", 'return new Refusal( "request_in_progress"'],
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
