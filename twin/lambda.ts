import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type DeployedFunction, type Deployment, parseFunctionArn } from "./deployment.ts";
import type { EnvironmentProps, FunctionError, Outcome } from "./execution-environment.ts";
import { decide } from "./iam.ts";
import { Pool } from "./pool.ts";
import type { Queues } from "./queues.ts";

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const PAYLOAD_BYTES_MAX = 6_291_556;
/** https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const RETRY_AFTER_ERROR_MS = [60_000, 120_000] as const;
const RETRY_AFTER_THROTTLE_MS = { first: 1_000, max: 300_000 } as const;
/** Lambda's defaults for asynchronous invocations. */
const ASYNC_DEFAULTS = { retriesMax: 2, ageSecondsMax: 21_600, onFailureArn: undefined } as const;

export interface LambdaProps {
  readonly deployment: Deployment;
  readonly environmentOf: (deployed: DeployedFunction) => EnvironmentProps;
  readonly queues: Queues;
}

/** The outcome of a call. For `throttled` and `too large`, Lambda called no function. */
export type Invoked = Outcome | "throttled" | "too large";

/**
 * Plays Lambda. A call names a function by its ARN, its name, an alias or a version, and one of the function's
 * environments answers it.
 */
export class Lambda {
  /** The names of the functions for which the account has no execution left. */
  readonly throttled = new Set<string>();
  readonly #props: LambdaProps;
  readonly #pools: ReadonlyMap<string, Pool>;
  readonly #stopping = new AbortController();
  readonly #underway = new Set<Promise<void>>();

  constructor(props: LambdaProps) {
    this.#props = props;
    this.#pools = new Map(
      props.deployment.functions.map((deployed) => [
        deployed.name,
        new Pool(props.environmentOf(deployed)),
      ]),
    );
  }

  get environments() {
    return [...this.#pools].flatMap(([name, pool]) =>
      pool.environments.map((environment) => ({ function: name, ...environment })),
    );
  }

  async invoke(functionArn: string, payload: string, requestId = randomUUID()): Promise<Invoked> {
    if (Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX) return "too large";
    const { name } = parseFunctionArn(functionArn);
    const pool = this.#pools.get(name);
    if (!pool) throw new Error(`there is no function ${name}`);
    if (this.throttled.has(name)) return "throttled";
    const outcome = await pool.invoke({ requestId, functionArn, payload });
    if (outcome !== "throttled" && "payload" in outcome && isTooLarge(outcome.payload))
      return { error: TOO_LARGE };
    return outcome;
  }

  /**
   * Accepts an event, and calls the function later, with the retries of the template. Resolves when no further call
   * follows.
   */
  async invokeLater(functionArn: string, payload: string): Promise<void> {
    const carriedOut = this.#carryOut(functionArn, payload).catch((error) => {
      if (!this.#stopping.signal.aborted) console.error(error);
    });
    this.#underway.add(carriedOut);
    await carriedOut;
    this.#underway.delete(carriedOut);
  }

  async #carryOut(functionArn: string, payload: string): Promise<void> {
    const { retriesMax, ageSecondsMax } = this.#asyncInvokeOf(functionArn);
    const requestId = randomUUID();
    const acceptedMs = performance.now();
    let errors = 0;
    let throttles = 0;
    for (;;) {
      const outcome = await this.invoke(functionArn, payload, requestId);
      if (typeof outcome === "object" && "payload" in outcome) return;
      const isThrottled = outcome === "throttled";
      const waitMs = isThrottled ? throttleWaitMs(throttles++) : errorWaitMs(errors++);
      const failed = { functionArn, payload, requestId, calls: errors };
      if (!isThrottled && errors > retriesMax)
        return this.#failed(failed, "RetriesExhausted", outcome);
      if (performance.now() + waitMs - acceptedMs > ageSecondsMax * 1_000)
        return this.#failed(failed, "EventAgeExceeded", outcome);
      await sleep(waitMs, undefined, { signal: this.#stopping.signal });
    }
  }

  /**
   * Sends a failed event to its destination
   * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html).
   */
  #failed(
    { functionArn, payload, requestId, calls }: Failed,
    condition: string,
    outcome: Invoked,
  ): void {
    const deployed = this.#deployed(functionArn);
    const { onFailureArn } = this.#asyncInvokeOf(functionArn);
    const error = typeof outcome === "object" && "error" in outcome ? outcome.error : undefined;
    if (onFailureArn === undefined) return;
    if (!maySend(deployed, onFailureArn)) {
      console.error(`${deployed.role.arn} may not send to ${onFailureArn}: an event is lost`);
      return;
    }
    this.#props.queues.send(onFailureArn, {
      version: "1.0",
      timestamp: new Date().toISOString(),
      requestContext: { requestId, functionArn, condition, approximateInvokeCount: calls },
      requestPayload: JSON.parse(payload),
      ...(error && {
        responseContext: {
          statusCode: 200,
          executedVersion: deployed.version,
          functionError: "Unhandled",
        },
        responsePayload: error,
      }),
    });
  }

  #deployed(functionArn: string): DeployedFunction {
    const { name } = parseFunctionArn(functionArn);
    const found = this.#props.deployment.functions.find((one) => one.name === name);
    if (!found) throw new Error(`there is no function ${name}`);
    return found;
  }

  #asyncInvokeOf(functionArn: string) {
    const { name, qualifier } = parseFunctionArn(functionArn);
    const { asyncInvokes } = this.#props.deployment;
    return (
      asyncInvokes.find((one) => one.functionName === name && one.qualifier === qualifier) ??
      ASYNC_DEFAULTS
    );
  }

  /**
   * Begins no further call of an event, waits for the calls in progress, and ends every process.
   *
   * @param msMax the time for the calls in progress
   */
  async stop(msMax: number): Promise<void> {
    this.#stopping.abort();
    const late = new AbortController();
    await Promise.race([
      Promise.all(this.#underway),
      sleep(msMax, undefined, { signal: late.signal }).catch(() => {}),
    ]);
    late.abort();
    await Promise.all([...this.#pools.values()].map((pool) => pool.stop()));
  }
}

interface Failed {
  readonly functionArn: string;
  readonly payload: string;
  readonly requestId: string;
  readonly calls: number;
}

const TOO_LARGE: FunctionError = {
  errorType: "Function.ResponseSizeTooLarge",
  errorMessage: `Response payload size exceeded maximum allowed payload size (${PAYLOAD_BYTES_MAX} bytes).`,
};

const isTooLarge = (payload: string) => Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX;

const maySend = ({ role }: DeployedFunction, resource: string) =>
  decide(role.statements, { action: "sqs:SendMessage", resource }) === "allowed";

const errorWaitMs = (errors: number): number =>
  RETRY_AFTER_ERROR_MS[errors] ?? RETRY_AFTER_ERROR_MS[1];

const throttleWaitMs = (throttles: number): number =>
  Math.min(RETRY_AFTER_THROTTLE_MS.first * 2 ** throttles, RETRY_AFTER_THROTTLE_MS.max);
