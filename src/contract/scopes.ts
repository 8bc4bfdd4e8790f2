/** The scopes of keys. C-5; the descriptions of the last four scopes are ours. */
export const scopes = {
  'items:read': 'list and read items, their ingredients and suppliers',
  'items:write': 'create, update and delete items, their ingredients and suppliers',
  'orders:read': 'list and read orders and their lines',
  'orders:write': 'create and update orders',
  'contacts:read': 'list and read contacts',
  'contacts:write': 'create, update and delete contacts',
  'inventory:read': 'list and read stock documents and stock levels',
  'inventory:write': 'create, change, submit, approve and cancel stock documents',
  'organization:read': 'read the organization profile',
  'usage:read': 'read the API usage summary',
  'audit:read': 'export audit events (Enterprise)',
  'webhooks:read': 'list and read webhook endpoints',
  'webhooks:write': 'create and update webhook endpoints (Enterprise)',
  'webhooks:delete': 'delete webhook endpoints',
  'webhooks:deliveries:read': 'read webhook delivery attempts',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;
export const SCOPES = Object.keys(scopes) as readonly Scope[];
export const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(':read'));

/** From the lowest to the highest. */
export const PLANS = ['free', 'standard', 'pro', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** Whether `plan` includes what requires `required`. */
export const includesPlan = (plan: Plan, required: Plan): boolean => PLANS.indexOf(plan) >= PLANS.indexOf(required);

export const ENVIRONMENTS = ['production', 'staging', 'development'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
