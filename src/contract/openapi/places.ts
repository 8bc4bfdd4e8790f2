/** Where the daemon serves the published documents, and the page that shows them. */
export const DOCUMENT_PATHS = { api: '/openapi.json', webhooks: '/webhooks.openapi.json', reference: '/docs' } as const;
