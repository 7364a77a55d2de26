import { NETBOX_METHODS, NETBOX_PATH } from "../src/contract/netbox/path.ts";
import { type FunctionName, methodsOf, ROUTES } from "../src/contract/routes/routes.ts";

export interface RestBodyProps {
  readonly title: string;
  /** The URI by which API Gateway invokes a function. */
  readonly uriOf: (name: FunctionName) => string;
  /** The security scheme of callers, with what API Gateway adds to it. */
  readonly scheme: object;
  /** True if a request must have the key of a usage plan. */
  readonly hasKeys: boolean;
  /** The path that everybody may call, if there is one. */
  readonly openPath?: string;
  /** The URI of the function of NetBox's dialect, if there is one. */
  readonly netboxUri?: string;
}

/** The function that answers what no route takes. It has no access to the table. */
const DEFAULT: FunctionName = "openapi";
const ANY = "x-amazon-apigateway-any-method";

/**
 * Returns the definition of a REST API with a method for each route, as OpenAPI with API Gateway's extensions
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html). Other methods and
 * paths lead to the function that answers them as an HTTP API's default route does.
 */
export function restBody(props: RestBodyProps): object {
  const { title, scheme, hasKeys, uriOf, netboxUri } = props;
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (path: string, method: string, uri: string) => {
    paths[path] = { ...paths[path], [method]: methodOf(props, path, method, uri) };
  };
  for (const route of ROUTES)
    for (const method of methodsOf(route))
      add(route.path, method.toLowerCase(), uriOf(route.function));
  if (netboxUri !== undefined)
    for (const method of NETBOX_METHODS) add(NETBOX_PATH, method.toLowerCase(), netboxUri);
  for (const path of ["/", "/{proxy+}", ...Object.keys(paths)]) add(path, ANY, uriOf(DEFAULT));
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

function methodOf(props: RestBodyProps, path: string, method: string, uri: string): object {
  const { hasKeys, openPath } = props;
  const isOpen = path === openPath && method !== ANY;
  const parameters = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, named]) => ({
    name: named,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    ...(parameters.length > 0 && { parameters }),
    responses: {},
    security: isOpen ? [] : [{ caller: [] }, ...(hasKeys ? [{ api_key: [] }] : [])],
    "x-amazon-apigateway-integration": {
      type: "aws_proxy",
      httpMethod: "POST",
      uri,
    },
  };
}
