import { ANY, DEFAULT, pathParameters, type ServedName, type ServedRoute } from "./definition.ts";

export interface HttpBodyProps {
  readonly title: string;
  readonly routes: readonly ServedRoute[];
  /** The URIs by which API Gateway invokes the functions of the routes. */
  readonly uris: Readonly<Partial<Record<ServedName, string>>>;
  /** The security scheme of callers, with what API Gateway adds to it. */
  readonly scheme: object;
  /** True if everybody may call a route, by its key. */
  readonly isOpen: (routeKey: string) => boolean;
  /** The only name of the API, if it has one of its own. */
  readonly domainName?: string;
}

const INTEGRATIONS = "x-amazon-apigateway-integrations";

/** The name of a variable keeps the plus of a greedy one. */
const VARIABLE = /\{([^}]+)\}/g;

/**
 * Returns the definition of an HTTP API with its routes, in the form in which API Gateway exports one
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-export.html). Each path declares its variables, as
 * OpenAPI requires (https://spec.openapis.org/oas/v3.0.3.html#path-templating). Routes share the integrations of their functions,
 * of which an API has 300 at most
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-extensions-integrations.html,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
 */
export function httpBody({
  title,
  routes,
  uris,
  scheme,
  isOpen,
  domainName,
}: HttpBodyProps): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, servedBy } of routes) {
    const parameters = pathParameters(path, VARIABLE);
    paths[path] = {
      ...(parameters.length > 0 && { parameters }),
      ...paths[path],
      [method.toLowerCase()]: operationOf(servedBy, isOpen(`${method} ${path}`)),
    };
  }
  // With a slash, because an import warns of a path without one
  // (https://github.com/aws/serverless-application-model/issues/2297).
  paths["/$default"] = { [ANY]: { isDefaultRoute: true, ...operationOf(DEFAULT, false) } };
  return {
    openapi: "3.0.1",
    info: { title, version: "1" },
    ...(domainName !== undefined && { servers: [onlyServer(domainName)] }),
    paths,
    components: {
      securitySchemes: { caller: scheme },
      [INTEGRATIONS]: Object.fromEntries(
        Object.entries(uris).map(([name, uri]) => [
          name,
          { type: "aws_proxy", httpMethod: "POST", payloadFormatVersion: "2.0", uri },
        ]),
      ),
    },
    "x-amazon-apigateway-importexport-version": "1.0",
  };
}

const operationOf = (servedBy: ServedName, isOpen: boolean): object => ({
  responses: {},
  ...(!isOpen && { security: [{ caller: [] }] }),
  "x-amazon-apigateway-integration": { $ref: `#/components/${INTEGRATIONS}/${servedBy}` },
});

/**
 * Returns the server of an API that callers reach by a name of its own only. AWS SAM puts this setting into the definition too,
 * because the property of CloudFormation is for an API without one
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-endpoint-configuration.html,
 * https://github.com/aws/serverless-application-model/blob/develop/samtranslator/model/api/http_api_generator.py).
 */
const onlyServer = (domainName: string): object => ({
  url: `https://${domainName}`,
  "x-amazon-apigateway-endpoint-configuration": { disableExecuteApiEndpoint: true },
});
