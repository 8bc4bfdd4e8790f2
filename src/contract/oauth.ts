/** OAuth constants shared by the service, the published documents and the command line. C-5; A-6. */
export const OAUTH = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  register: '/oauth/register',
} as const;
/** RFC 8414 and RFC 9728. The second also accepts a resource path as suffix. */
export const WELL_KNOWN = {
  authorizationServer: '/.well-known/oauth-authorization-server',
  protectedResource: '/.well-known/oauth-protected-resource',
} as const;

/** Resource indicators (RFC 8707) as paths below the base URL: the whole service, the API, the MCP tools. */
export const RESOURCES = ['', '/v1', '/mcp'] as const;
export type Resource = (typeof RESOURCES)[number];

export const GRANT_TYPES = ['authorization_code', 'client_credentials'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];
/** Client authentication methods; `none` is for public clients. */
export const CLIENT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
/** RFC 7636; `plain` is not supported. */
export const CHALLENGE_METHODS = ['S256'] as const;

/** Confidential applications can keep a secret; public ones (mobile, browser and desktop applications) cannot. */
export const APPLICATION_TYPES = ['confidential', 'public'] as const;
export type ApplicationType = (typeof APPLICATION_TYPES)[number];
export const APPLICATION_STATUSES = ['pending', 'approved', 'suspended'] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];
export const INSTALLATION_STATUSES = ['active', 'revoked'] as const;
export type InstallationStatus = (typeof INSTALLATION_STATUSES)[number];

/** Error codes of the OAuth endpoints (RFC 6749 §5.2, RFC 7009, RFC 7591 §3.2.2, RFC 8707) and their HTTP status. */
export const oauthErrors = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  access_denied: 403,
  temporarily_unavailable: 503,
  server_error: 500,
} as const satisfies Record<string, number>;
export type OAuthErrorCode = keyof typeof oauthErrors;
