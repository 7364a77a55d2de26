/** Returns true if the issuer sent the user back to this page. The parts that need the issuer are loaded only then. */
export function isReturn({ search }: Pick<Location, "search">): boolean {
  const parameters = new URLSearchParams(search);
  return parameters.has("state") && (parameters.has("code") || parameters.has("error"));
}
