/** The attribute of an address that names the tenant for whom it was assigned. */
export const TENANT_ATTRIBUTE = "tenant";
