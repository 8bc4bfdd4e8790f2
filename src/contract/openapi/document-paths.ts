/** Paths where the daemon serves the published documents and the reference page. */
export const DOCUMENT_PATHS = { api: '/openapi.json', webhooks: '/webhooks.openapi.json', reference: '/docs' } as const;
