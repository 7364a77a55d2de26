import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { DeployedFunction } from "./deployment.ts";
import type { Logs } from "./logs.ts";
import type { Reaper } from "./reaper.ts";

const BOOTSTRAP = fileURLToPath(new URL("./bootstrap.mjs", import.meta.url));

/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-ib */
const INIT_MS_MAX = 10_000;
/** One log stream, because one file has the output of all environments of a function. */
const LOG_STREAM = "all";
/** The share of a function's memory for the heap. Node.js needs the rest for other things. */
const HEAP_SHARE = 0.9;

/** The parts of an execution environment. */
export interface EnvironmentProps {
  /** The path of Lambda's Node.js. */
  readonly node: string;
  readonly deployed: DeployedFunction;
  /** The directory with its code. */
  readonly directory: string;
  readonly region: string;
  /** The keys of its role. */
  readonly credentials: Credentials;
  /** The endpoint that replaces DynamoDB's name. */
  readonly dynamoEndpoint: string;
  /** The endpoint that replaces the names of all other services. */
  readonly servicesEndpoint: string;
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
  /** The ARN of the call, which may name an alias or a version. */
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
 * A process that runs one function as Lambda does. It serves one call at a time, and is frozen between two calls
 * (SIGSTOP, SIGCONT). It has the variables of the template and those of Lambda, and none of this process.
 */
export class ExecutionEnvironment {
  readonly #props: EnvironmentProps;
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  #hear: (told: Told) => void = () => {};
  #isEnded = false;

  constructor(props: EnvironmentProps) {
    this.#props = props;
    const { node, deployed, directory, logs, reaper } = props;
    const heapMb = Math.floor(deployed.memoryMb * HEAP_SHARE);
    this.#process = fork(BOOTSTRAP, {
      execPath: node,
      execArgv: [`--max-old-space-size=${heapMb}`],
      cwd: directory,
      env: variablesOf(props),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // In a process group of its own, because Ctrl-C must reach the twin only, which first finishes the work in
      // progress.
      detached: true,
    });
    reaper.watch(this.#process);
    // Not `once` of node:events, because that rejects at an error, such as that of a message to a process that has
    // ended.
    this.#exited = new Promise((resolve) => {
      this.#process.once("exit", (code, signal) => {
        this.#hear({ error: exitError(code, signal) });
        resolve();
      });
    });
    for (const output of [this.#process.stdout, this.#process.stderr])
      output?.on("data", (chunk) => logs.write(deployed.logGroup, chunk));
    this.#process.on("message", (told: Told) => this.#hear(told));
    // The process may end before it has read a message.
    this.#process.on("error", () => {});
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get isGone(): boolean {
    const { exitCode, signalCode } = this.#process;
    return this.#isEnded || exitCode !== null || signalCode !== null;
  }

  /** Waits until the function is loaded; returns the error if it cannot be loaded. */
  async init(): Promise<FunctionError | undefined> {
    const { ready, unfit, error } = await this.#told(INIT_MS_MAX, "Init timed out");
    if (ready) return undefined;
    this.end();
    return error ?? { errorType: "Runtime.ImportModuleError", errorMessage: unfit ?? "" };
  }

  /** Calls the function, and kills the process after the time-out of the template. */
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

  /** Kills the process immediately, whatever its state. */
  end(): void {
    this.#isEnded = true;
    this.#process.kill("SIGKILL");
  }

  async ended(): Promise<void> {
    await this.#exited;
  }

  /**
   * Returns the next message of the process, or an error if it ends. Kills the process if neither comes within the
   * time.
   */
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
 * Returns the variables that Lambda sets
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime). They
 * override those of the template.
 */
function variablesOf(props: EnvironmentProps): Record<string, string> {
  const { deployed, directory, region, credentials, dynamoEndpoint, servicesEndpoint } = props;
  return {
    ...deployed.variables,
    _HANDLER: deployed.handler,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoEndpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: servicesEndpoint,
    AWS_ENDPOINT_URL_S3: servicesEndpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: servicesEndpoint,
    AWS_ENDPOINT_URL_SQS: servicesEndpoint,
    AWS_ENDPOINT_URL_SSM: servicesEndpoint,
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
    // A directory that does not exist, as in Lambda. Otherwise the SDK would read the developer's home.
    HOME: "/home/sbx_user1051",
    LAMBDA_RUNTIME_DIR: "/var/runtime",
    LAMBDA_TASK_ROOT: directory,
    LANG: "en_US.UTF-8",
    PATH: "/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin",
    TZ: ":UTC",
  };
}
