import { startEmulator } from "./emulator.ts";

/** The embedded DynamoDB, across its restarts. */
export interface KeptEmulator {
  readonly endpoint: string;
  /** Resolves with a sentence when its data is permanently unavailable. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

const RESTARTS_MAX = 5;

/**
 * Starts the embedded DynamoDB. It restarts the process on the same port if the data is on disk, because that data
 * outlives the process.
 *
 * @param file the file of the data; without it, the memory of the process
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
      // A stop during the start found no process to stop.
      if (stopping) await emulator.stop();
    }
  }
}
