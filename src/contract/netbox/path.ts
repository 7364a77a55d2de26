/** The paths of NetBox's dialect (`docs/netbox.md`). They end with a slash, and the function routes them by itself. */

export const NETBOX_PATH = "/api/{path+}";

/** Its clients send no HEAD, and each method is a resource of a stack, which has room for 500. */
export const NETBOX_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The path of the dialect's root, which API Gateway takes for no path below it. */
export const NETBOX_ROOT = "/api";
