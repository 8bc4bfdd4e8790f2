/** Names of the OAuth side that servers, documents, the terminal and tests agree on. Contract part 5; decisions-api §6. */
export const OAUTH = { authorize: '/oauth/authorize', token: '/oauth/token', revoke: '/oauth/revoke' } as const;
/** RFC 8414 and RFC 9728. The second also answers with a resource's path behind it. */
export const WELL_KNOWN = {
  authorizationServer: '/.well-known/oauth-authorization-server',
  protectedResource: '/.well-known/oauth-protected-resource',
} as const;

/** What a key may be asked for (RFC 8707), as the path below the base address: everything, the API, the tools. */
export const RESOURCES = ['', '/v1', '/mcp'] as const;
export type Resource = (typeof RESOURCES)[number];

export const GRANT_TYPES = ['authorization_code', 'client_credentials'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];
/** How clients prove themselves; `none` is for public ones. */
export const CLIENT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
/** RFC 7636; `plain` is refused. */
export const CHALLENGE_METHODS = ['S256'] as const;

/** Confidential applications can keep a secret, public ones (on phones, in browsers, on other people's machines) cannot. */
export const APPLICATION_TYPES = ['confidential', 'public'] as const;
export type ApplicationType = (typeof APPLICATION_TYPES)[number];
export const APPLICATION_STATUSES = ['pending', 'approved', 'suspended'] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];
export const INSTALLATION_STATUSES = ['active', 'revoked'] as const;
export type InstallationStatus = (typeof INSTALLATION_STATUSES)[number];

/** Error codes of the OAuth endpoints, which answer in the form of RFC 6749 §5.2 (RFC 7009 and RFC 8707 add to it), with their status. */
export const oauthErrors = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  access_denied: 403,
  temporarily_unavailable: 503,
  server_error: 500,
} as const satisfies Record<string, number>;
export type OAuthErrorCode = keyof typeof oauthErrors;
