import * as v from "valibot";
import { EVERY_SPACE, type Grant, ROLES } from "../../contract/routes/roles.ts";
import { SPACE_DEFAULT } from "../../contract/routes/route.ts";
import { spaceName } from "../../contract/schema/field.ts";

/**
 * Parses the grants of a caller: `reader`, `caller@blue` or `operator@*`, with spaces or commas between them. A role without
 * a space holds in `default`. An entry that is neither a role nor a role in a space grants nothing.
 *
 * API Gateway passes a list in a claim as one text in brackets: `[reader caller@blue]`
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html).
 */
export const parseGrants = (text: string): readonly Grant[] =>
  text
    .replace(/^\[(.*)\]$/s, "$1")
    .split(/[\s,]+/)
    .flatMap(parseGrant);

function parseGrant(entry: string): readonly Grant[] {
  const [name, space = SPACE_DEFAULT, ...rest] = entry.split("@");
  const role = ROLES.find((known) => known === name);
  const isSpace = space === EVERY_SPACE || v.is(spaceName, space);
  return role !== undefined && isSpace && rest.length === 0 ? [{ role, space }] : [];
}
