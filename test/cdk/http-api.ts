import type { Template } from "aws-cdk-lib/assertions";

/** A route of the HTTP API in a template. */
export interface BodyRoute {
  /** `GET /v1/pools`, or `$default` */
  readonly key: string;
  /** True if it asks for no caller. */
  readonly isOpen: boolean;
  /** The URI of its integration, as JSON with the intrinsics of the template. */
  readonly uri: string;
}

interface Operation {
  readonly isDefaultRoute?: boolean;
  readonly security?: readonly object[];
  readonly "x-amazon-apigateway-integration": { readonly $ref: string };
}

interface Body {
  readonly servers?: readonly object[];
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, Operation>> & {
        readonly parameters?: readonly { readonly name: string }[];
      }
    >
  >;
  readonly components: {
    readonly securitySchemes: { readonly caller: Readonly<Record<string, unknown>> };
    readonly "x-amazon-apigateway-integrations": Readonly<Record<string, { readonly uri: object }>>;
  };
}

/** Returns the definition of the HTTP API in a template. */
export function bodyOf(template: Template): Body {
  const [api] = Object.values(template.findResources("AWS::ApiGatewayV2::Api"));
  return api?.Properties.Body;
}

/** Returns the routes of the HTTP API in a template. */
export function bodyRoutes(template: Template): readonly BodyRoute[] {
  const { paths, components } = bodyOf(template);
  const integrations = components["x-amazon-apigateway-integrations"];
  return Object.entries(paths).flatMap(([path, { parameters: _, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => {
      const name = operation["x-amazon-apigateway-integration"].$ref.split("/").at(-1) ?? "";
      return {
        key: operation.isDefaultRoute ? "$default" : `${method.toUpperCase()} ${path}`,
        isOpen: operation.security === undefined,
        uri: JSON.stringify(integrations[name]?.uri),
      };
    }),
  );
}

/** Returns the keys of the routes that everybody may call. */
export const openKeys = (template: Template): readonly string[] =>
  bodyRoutes(template)
    .filter(({ isOpen }) => isOpen)
    .map(({ key }) => key)
    .sort();
