import {
  type EnvironmentProps,
  ExecutionEnvironment,
  type Invocation,
  type Outcome,
} from "./execution-environment.ts";

/**
 * The maximum number of environments of a function, because this machine is finite. Further calls wait here. Lambda
 * would make another environment, up to the concurrency of the account, which is 10 in a new account.
 */
const ENVIRONMENTS_PER_FUNCTION_MAX = 10;
/** The time after which an idle environment ends. Lambda ends it after some minutes, and does not document how many. */
const IDLE_MS_MAX = 300_000;

interface Idle {
  readonly environment: ExecutionEnvironment;
  readonly timer: NodeJS.Timeout;
}

/** The execution environments of one function. The environment that worked last serves the next call. */
export class Pool {
  readonly #props: EnvironmentProps;
  readonly #all = new Set<ExecutionEnvironment>();
  readonly #idle: Idle[] = [];
  readonly #waiting: (() => void)[] = [];
  /** The number of calls in progress or waiting. */
  #calls = 0;

  constructor(props: EnvironmentProps) {
    this.#props = props;
  }

  get environments(): readonly { readonly pid: number; readonly busy: boolean }[] {
    const idle = new Set(this.#idle.map(({ environment }) => environment));
    return [...this.#all].map((one) => ({ pid: one.pid, busy: !idle.has(one) }));
  }

  /** Calls the function, or returns `throttled` if its reserved concurrency is in use. */
  async invoke(invocation: Invocation): Promise<Outcome | "throttled"> {
    const { reservedConcurrency } = this.#props.deployed;
    if (reservedConcurrency !== undefined && this.#calls >= reservedConcurrency) return "throttled";
    this.#calls++;
    try {
      return await this.#serve(invocation);
    } finally {
      this.#calls--;
      this.#waiting.shift()?.();
    }
  }

  async #serve(invocation: Invocation): Promise<Outcome> {
    if (this.#calls > ENVIRONMENTS_PER_FUNCTION_MAX)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const environment = this.#takeIdle() ?? (await this.#create());
    if ("error" in environment) return environment;
    const outcome = await environment.invoke(invocation);
    this.#putBack(environment);
    return outcome;
  }

  #takeIdle(): ExecutionEnvironment | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (!idle.environment.isGone) return idle.environment;
    }
    return undefined;
  }

  async #create(): Promise<ExecutionEnvironment | Extract<Outcome, { error: unknown }>> {
    const environment = new ExecutionEnvironment(this.#props);
    this.#all.add(environment);
    void environment.ended().then(() => this.#all.delete(environment));
    const error = await environment.init();
    return error ? { error } : environment;
  }

  #putBack(environment: ExecutionEnvironment): void {
    if (environment.isGone) return;
    environment.freeze();
    const timer = setTimeout(() => environment.end(), IDLE_MS_MAX);
    this.#idle.push({ environment, timer: timer.unref() });
  }

  /** Ends all environments immediately, whatever their state. */
  async stop(): Promise<void> {
    for (const { timer } of this.#idle) clearTimeout(timer);
    await Promise.all(
      [...this.#all].map((environment) => {
        environment.end();
        return environment.ended();
      }),
    );
  }
}
