/** The access log of a stage: the format of a line, and the log group that gets it. */
export interface DeployedAccessLog {
  readonly format: string;
  readonly logGroup: string;
}

/** The settings of an access log in a template, which are the same for both kinds of API. */
interface AccessLogSettings {
  readonly DestinationArn: string;
  readonly Format: string;
}

/** The facts that API Gateway knows about a request, by the names of its variables without `$context.`. */
export type AccessVariables = Record<string, unknown>;

/** Reads the settings of an access log, which a stage may not have. */
export function accessLogOf(settings: AccessLogSettings | undefined) {
  if (!settings) return {};
  const [, logGroup] = /:log-group:([^:]+)/.exec(settings.DestinationArn) ?? [];
  if (logGroup === undefined) throw new Error(`${settings.DestinationArn} is no log group`);
  return { accessLog: { format: settings.Format, logGroup } };
}

/**
 * Returns a line of an access log. API Gateway writes a hyphen for a variable without a value
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html).
 */
export const accessLine = ({ format }: DeployedAccessLog, variables: AccessVariables): string =>
  `${format.replace(/\$context\.(\w+(?:\.\w+)*)/g, (_, name) => String(variables[name] ?? "-"))}\n`;
