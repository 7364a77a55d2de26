import { gzipSync } from "node:zlib";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { type ConsoleSettings, consoleFiles } from "./files.ts";

type Asked = Pick<APIGatewayProxyEventV2, "rawPath" | "headers">;

/**
 * Makes the handler that serves the console to everybody. Its files have no data, and API Gateway does not compress.
 *
 * @param folder the folder of the built console
 */
export function consoleHandler(folder: string, settings: ConsoleSettings) {
  const files = consoleFiles(folder, settings);
  const compressed = new Map<string, string>();
  return async ({ rawPath, headers }: Asked): Promise<APIGatewayProxyStructuredResultV2> => {
    const file = files(rawPath);
    if (file === undefined || file === "missing")
      return { statusCode: 404, headers: { "content-type": "text/plain" }, body: "Not found\n" };
    if (!/\bgzip\b/.test(headers["accept-encoding"] ?? "")) return file;
    const body = compressed.get(file.body) ?? gzipSync(file.body).toString("base64");
    compressed.set(file.body, body);
    return {
      statusCode: file.statusCode,
      headers: { ...file.headers, "content-encoding": "gzip", vary: "accept-encoding" },
      body,
      isBase64Encoded: true,
    };
  };
}

/** Returns the settings that the deployment gave the function, as JSON in CONSOLE_SETTINGS. */
export function settingsOfEnvironment(): ConsoleSettings {
  const { CONSOLE_SETTINGS = "" } = process.env;
  if (CONSOLE_SETTINGS === "")
    throw new Error("CONSOLE_SETTINGS is not set: it says how users of the console sign in");
  return JSON.parse(CONSOLE_SETTINGS) as ConsoleSettings;
}
