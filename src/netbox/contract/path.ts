/** The paths of NetBox's dialect (`docs/netbox.md`). They end with a slash, and the function routes them by itself. */

export const NETBOX_PATH = "/api/{path+}";

export const NETBOX_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** The path of the dialect's root, which API Gateway takes for no path below it. */
export const NETBOX_ROOT = "/api";
