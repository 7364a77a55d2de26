import { startEmulator } from "./emulator.ts";

/** The embedded DynamoDB, over its restarts. */
export interface KeptEmulator {
  readonly endpoint: string;
  /** Resolves with a sentence when its data is permanently out of reach. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

const RESTARTS_MAX = 5;

/**
 * Starts the embedded DynamoDB. Data on disk outlives its process, so that is started again where callers expect it.
 *
 * @param file where data is kept; without it, in the memory of the process
 */
export async function keepEmulator(file: string | undefined): Promise<KeptEmulator> {
  let emulator = await startEmulator({ file });
  const { endpoint, port } = emulator;
  let stopping = false;
  return {
    endpoint,
    lost: watch().then(
      (reason) => `The embedded DynamoDB has ended, and its data is unavailable: ${reason}`,
    ),
    async stop() {
      stopping = true;
      await emulator.stop();
    },
  };

  async function watch(): Promise<string> {
    for (let restart = 0; ; restart++) {
      const reason = await emulator.exited;
      if (stopping) return new Promise<never>(() => {});
      if (file === undefined || restart === RESTARTS_MAX) return reason;
      console.error(`The embedded DynamoDB ended (${reason}) and is started again.`);
      try {
        emulator = await startEmulator({ file, port });
      } catch (error) {
        return (error as Error).message;
      }
      // A stop that came while it started found nothing to stop.
      if (stopping) await emulator.stop();
    }
  }
}
