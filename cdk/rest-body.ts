import { ANY, DEFAULT, pathParameters, type ServedName, type ServedRoute } from "./definition.ts";

export interface RestBodyProps {
  readonly title: string;
  readonly routes: readonly ServedRoute[];
  /** The URIs by which API Gateway invokes the functions of the routes. */
  readonly uris: Readonly<Partial<Record<ServedName, string>>>;
  /** The security scheme of callers, with what API Gateway adds to it. */
  readonly scheme: object;
  /** True if a request must have the key of a usage plan. */
  readonly hasKeys: boolean;
  /** The path that everybody may call, if there is one. */
  readonly openPath?: string;
}

/** The name of a variable leaves out the plus of a greedy one. */
const VARIABLE = /\{(\w+)\+?\}/g;

/**
 * Returns the definition of a REST API with a method for each route, as OpenAPI with API Gateway's extensions
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html). Other methods and
 * paths lead to the function that answers them as an HTTP API's default route does.
 */
export function restBody(props: RestBodyProps): object {
  const { title, routes, scheme, hasKeys } = props;
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (path: string, method: string, servedBy: ServedName) => {
    paths[path] = { ...paths[path], [method]: methodOf(props, path, method, servedBy) };
  };
  for (const { method, path, servedBy } of routes) add(path, method.toLowerCase(), servedBy);
  for (const path of ["/", "/{proxy+}", ...Object.keys(paths)]) add(path, ANY, DEFAULT);
  return {
    openapi: "3.0.1",
    info: { title, version: "1" },
    paths,
    components: {
      securitySchemes: {
        caller: scheme,
        ...(hasKeys && { api_key: { type: "apiKey", name: "x-api-key", in: "header" } }),
      },
    },
  };
}

function methodOf(
  { uris, hasKeys, openPath }: RestBodyProps,
  path: string,
  method: string,
  servedBy: ServedName,
): object {
  const isOpen = path === openPath && method !== ANY;
  const parameters = pathParameters(path, VARIABLE);
  return {
    ...(parameters.length > 0 && { parameters }),
    responses: {},
    security: isOpen ? [] : [{ caller: [] }, ...(hasKeys ? [{ api_key: [] }] : [])],
    "x-amazon-apigateway-integration": {
      type: "aws_proxy",
      httpMethod: "POST",
      uri: uris[servedBy],
    },
  };
}
