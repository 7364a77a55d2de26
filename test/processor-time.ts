/** What a test file took, as the reporter `shares.ts` gets it from the process that ran the file. */
export interface ProcessorTime {
  /** Processor time of the process from the set-up of the file to its end, without the processes that it started. */
  readonly fileMs: number;
  /** Processor time of a fixed loop at the end of the file: the speed of this machine under its load. */
  readonly loopMs: number;
}

declare module "vitest" {
  interface TaskMeta {
    processorTime?: ProcessorTime;
  }
}

const ROUNDS = 40;

/** Works as most tests do: it makes objects and texts, and reads them. */
function loop(): void {
  for (let round = 0; round < ROUNDS; round++) {
    const items = Array.from({ length: 50 }, (_, n) => ({ pk: `BLOCK#${round}`, sk: `${n}`, n }));
    const read = JSON.parse(JSON.stringify(items)) as typeof items;
    const bySk = new Map(read.map((item) => [item.sk, item]));
    if (bySk.size !== items.length) throw new Error("the loop is wrong");
  }
}

function cpuMs(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  return total(process.cpuUsage(begun));
}

const total = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** Begins the measurement of a file, and returns a function that ends it. */
export function measureFile(): () => ProcessorTime {
  const begun = process.cpuUsage();
  return () => ({ fileMs: total(process.cpuUsage(begun)), loopMs: cpuMs(loop) });
}
