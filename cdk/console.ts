import { Fn, Stack } from "aws-cdk-lib";
import { isLater } from "../src/constructs/props.ts";
import type { SignIn } from "../src/nouns/console/contract/sign-in.ts";
import type { ConsoleSettings } from "../src/nouns/console/serve/files.ts";
import type { AccessChoice } from "./access-choice.ts";
import type { ConsoleChoice } from "./console-choice.ts";
import type { TableFunction } from "./function.ts";

/** The paths of the console. Everybody may read its files, which have no data. */
export const CONSOLE_PATHS = ["/console", "/console/{proxy+}"] as const;

/** The rate of some people who open pages, each with its files. */
export const CONSOLE_THROTTLE = { throttlingRateLimit: 50, throttlingBurstLimit: 100 };

const SCOPE_DEFAULT = "openid";

/** Tells the function of the console how its users sign in, which is how the API authorizes. */
export function tellConsole(
  served: TableFunction,
  { clientId, scope = SCOPE_DEFAULT, origins }: ConsoleChoice,
  access: AccessChoice,
): void {
  const signIn: SignIn =
    access.type === "jwt"
      ? { type: "jwt", issuer: access.issuer, clientId: String(clientId), scope }
      : access.type === "iam"
        ? { type: "iam", region: Stack.of(served).region }
        : { type: "token" };
  const settings: ConsoleSettings = {
    signIn,
    origins: access.type === "jwt" ? [originOf(access.issuer), ...origins] : [],
  };
  served.function.addEnvironment("CONSOLE_SETTINGS", Stack.of(served).toJsonString(settings));
}

/** Returns the origin of an issuer. That of one which only CloudFormation knows is `https://` and the third of its parts. */
const originOf = (issuer: string): string =>
  isLater(issuer) ? `https://${Fn.select(2, Fn.split("/", issuer))}` : new URL(issuer).origin;
