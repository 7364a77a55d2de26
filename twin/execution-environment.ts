import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { DeployedFunction } from "./deployment.ts";
import type { Logs } from "./logs.ts";
import { lambdaNode } from "./node.ts";
import type { Reaper } from "./reaper.ts";

const BOOTSTRAP = fileURLToPath(new URL("./bootstrap.mjs", import.meta.url));

/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-ib */
const INIT_MS_MAX = 10_000;
/** A file keeps what all environments of a function say. */
const LOG_STREAM = "all";
/** Of the memory of a function, what its heap may take; the rest is for what Node.js has beside. */
const HEAP_SHARE = 0.9;

/** The parts of an execution environment. */
export interface EnvironmentProps {
  readonly deployed: DeployedFunction;
  /** The folder with its code. */
  readonly directory: string;
  readonly region: string;
  /** The keys of its role. */
  readonly credentials: Credentials;
  /** The endpoint that replaces DynamoDB's name. */
  readonly dynamoEndpoint: string;
  readonly logs: Logs;
  readonly reaper: Reaper;
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** One call of a function. */
export interface Invocation {
  readonly requestId: string;
  /** The ARN it was called by. */
  readonly functionArn: string;
  /** JSON. */
  readonly payload: string;
}

/** The answer of a function as JSON, or its error. */
export type Outcome = { readonly payload: string } | { readonly error: FunctionError };

export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

type Told = Partial<{
  readonly ready: true;
  readonly unfit: string;
  readonly payload: string;
  readonly error: FunctionError;
}>;

/**
 * A process that runs one function, as Lambda makes them: it serves one call at a time, is frozen between two of them
 * (SIGSTOP, SIGCONT), and has what the template gives it and what Lambda sets, and nothing of ours.
 */
export class ExecutionEnvironment {
  readonly #props: EnvironmentProps;
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  #hear: (told: Told) => void = () => {};
  #isEnded = false;

  constructor(props: EnvironmentProps) {
    this.#props = props;
    const { deployed, directory, logs, reaper } = props;
    const heapMb = Math.floor(deployed.memoryMb * HEAP_SHARE);
    this.#process = fork(BOOTSTRAP, {
      execPath: lambdaNode(),
      execArgv: [`--max-old-space-size=${heapMb}`],
      cwd: directory,
      env: variablesOf(props),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // Ctrl-C is for the twin, which first lets come to an end what is under way.
      detached: true,
    });
    reaper.watch(this.#process);
    // Not by `once` of node:events: that one fails at an error, such as of what is sent to a process that is gone.
    this.#exited = new Promise((resolve) => {
      this.#process.once("exit", (code, signal) => {
        this.#hear({ error: exitError(code, signal) });
        resolve();
      });
    });
    for (const output of [this.#process.stdout, this.#process.stderr])
      output?.on("data", (chunk) => logs.write(deployed.logGroup, chunk));
    this.#process.on("message", (told: Told) => this.#hear(told));
    // It may be gone before it has read what is sent.
    this.#process.on("error", () => {});
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get isGone(): boolean {
    const { exitCode, signalCode } = this.#process;
    return this.#isEnded || exitCode !== null || signalCode !== null;
  }

  /** Waits until the function is loaded; what is wrong otherwise. */
  async init(): Promise<FunctionError | undefined> {
    const { ready, unfit, error } = await this.#told(INIT_MS_MAX, "Init timed out");
    if (ready) return undefined;
    this.end();
    return error ?? { errorType: "Runtime.ImportModuleError", errorMessage: unfit ?? "" };
  }

  /** Calls the function. It has the time of the template, and is killed after it. */
  async invoke({ requestId, functionArn, payload }: Invocation): Promise<Outcome> {
    const { name, version, memoryMb, logGroup, timeoutSeconds } = this.#props.deployed;
    this.#process.kill("SIGCONT");
    const told = this.#told(
      timeoutSeconds * 1_000,
      `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`,
    );
    this.#process.send({
      payload,
      deadlineMs: Date.now() + timeoutSeconds * 1_000,
      context: {
        functionName: name,
        functionVersion: version,
        invokedFunctionArn: functionArn,
        memoryLimitInMB: String(memoryMb),
        awsRequestId: requestId,
        logGroupName: logGroup,
        logStreamName: LOG_STREAM,
      },
    });
    const { payload: answer, error } = await told;
    if (error) return { error };
    return { payload: answer ?? "null" };
  }

  freeze(): void {
    this.#process.kill("SIGSTOP");
  }

  /** At once, whatever it is doing. */
  end(): void {
    this.#isEnded = true;
    this.#process.kill("SIGKILL");
  }

  async ended(): Promise<void> {
    await this.#exited;
  }

  /** The next word of the process, or of its end; it is ended after a time without one. */
  #told(msMax: number, late: string): Promise<Told> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.end();
        resolve({ error: { errorType: "Sandbox.Timedout", errorMessage: late } });
      }, msMax);
      this.#hear = (told) => {
        clearTimeout(timer);
        this.#hear = () => {};
        resolve(told);
      };
      if (this.isGone)
        this.#hear({ error: exitError(this.#process.exitCode, this.#process.signalCode) });
    });
  }
}

function exitError(code: number | null, signal: NodeJS.Signals | null): FunctionError {
  const how = signal === null ? `exit status ${code}` : `signal: ${signal}`;
  return { errorType: "Runtime.ExitError", errorMessage: `Runtime exited with error: ${how}` };
}

/**
 * Returns the variables that Lambda sets (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime),
 * and below it what the template sets.
 */
function variablesOf(props: EnvironmentProps): Record<string, string> {
  const { deployed, directory, region, credentials, dynamoEndpoint } = props;
  return {
    ...deployed.variables,
    _HANDLER: deployed.handler,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoEndpoint,
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(deployed.memoryMb),
    AWS_LAMBDA_FUNCTION_NAME: deployed.name,
    AWS_LAMBDA_FUNCTION_VERSION: deployed.version,
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: deployed.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: LOG_STREAM,
    AWS_REGION: region,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    // A home that there is not, as there: the SDK would look for the developer's.
    HOME: "/home/sbx_user1051",
    LAMBDA_RUNTIME_DIR: "/var/runtime",
    LAMBDA_TASK_ROOT: directory,
    LANG: "en_US.UTF-8",
    PATH: "/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin",
    TZ: ":UTC",
  };
}
