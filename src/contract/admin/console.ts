/** The one-time link with which a browser opens the console, and what the console uses of the admin API. */
import { type Operation, single } from '../operation.ts';
import { describe, t } from '../schema/builder.ts';
import { SCOPES, type Scope } from '../scopes.ts';
import { listAuditTrail } from './audit.ts';
import { clockOperations } from './clock.ts';
import { listRecentRequests } from './daemon.ts';
import { faultOperations } from './faults.ts';
import { fixtureOperations } from './fixtures.ts';
import { defineTenantOperation } from './shared-schemas.ts';
import { deleteSnapshot, listSnapshots, loadSnapshot, saveSnapshot } from './snapshots.ts';
import { createReorders } from './stock-reorder.ts';
import { listTortureResults } from './torture.ts';
import { listHealth, resendDelivery, showDelivery, tailDeliveries, testWebhook, triggerEvent } from './webhooks.ts';

export const openConsole = defineTenantOperation('console.open', 'POST', '/admin/console', {
  summary: 'Create a one-time link to the console',
  description: 'The first browser that opens the link is signed in. Do not share it.',
  body: t.object({
    scopes: describe(
      t.optional(t.array(t.enums(SCOPES), { min: 1, max: SCOPES.length, unique: true })),
      'What the session may do. Default: every scope.',
    ),
  }),
  status: 201,
  result: t.object({
    ...single(t.object({ tenant: t.string(), expiresAt: t.timestamp() })).properties,
    url: t.optional(t.annotate(t.string(), { description: 'Shown only in this response, not when the request is replayed.' })),
  }),
  shownOnce: ['url'],
  errors: ['NOT_ENABLED'],
});

export const consoleOperations = [openConsole] as const;

export interface ConsoleAdminOperation {
  readonly operation: Operation;
  /** What a session needs. `all` for what concerns the whole service. */
  readonly scopes: readonly Scope[] | 'all';
}

/** Served at `/console` and their path, on the machine of the service only. */
export const CONSOLE_ADMIN_OPERATIONS: readonly ConsoleAdminOperation[] = [
  ...[...clockOperations, ...faultOperations, listSnapshots, saveSnapshot, loadSnapshot, deleteSnapshot].map((operation) => ({
    operation,
    scopes: operation.method === 'GET' ? [] : ('all' as const),
  })),
  // It has what programs printed.
  { operation: listTortureResults, scopes: 'all' },
  // An export has all records of the tenant, and fixtures may name other tenants.
  ...fixtureOperations.map((operation) => ({ operation, scopes: 'all' as const })),
  { operation: listRecentRequests, scopes: ['usage:read'] },
  { operation: listAuditTrail, scopes: ['audit:read'] },
  { operation: listHealth, scopes: ['webhooks:read'] },
  { operation: tailDeliveries, scopes: ['webhooks:deliveries:read'] },
  { operation: showDelivery, scopes: ['webhooks:deliveries:read'] },
  { operation: resendDelivery, scopes: ['webhooks:write'] },
  { operation: testWebhook, scopes: ['webhooks:write'] },
  { operation: triggerEvent, scopes: ['webhooks:write'] },
  { operation: createReorders, scopes: ['orders:write'] },
];
