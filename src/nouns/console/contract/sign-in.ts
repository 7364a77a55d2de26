/** The way in which users of the console sign in. The console reads it from `/console/config.json`. */
export type SignIn =
  /** A bearer token, which the user has. */
  | { readonly type: "token" }
  /** Credentials of IAM, with which the browser signs requests for this Region. */
  | { readonly type: "iam"; readonly region: string }
  /** A token of an OpenID Connect issuer, by the authorization code flow with PKCE. */
  | {
      readonly type: "jwt";
      readonly issuer: string;
      readonly clientId: string;
      /** The scopes to ask for, with spaces between them. */
      readonly scope: string;
    };
