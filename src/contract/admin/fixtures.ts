/** Fixtures: tenants of a test suite, created and changed from a document, and read as one. */
import { fixtureDocument } from './fixtures/schema.ts';
import { FIXTURES_MAX_BYTES } from '../limits.ts';
import { defineAdminOperation, queryBoolean, single } from '../operation.ts';
import { type Infer, t } from '../schema/builder.ts';
import { tenantQuery } from './shared-schemas.ts';

const count = () => t.int({ min: 0 });
const counts = { created: count(), changed: count(), unchanged: count() };

const appliedFixtures = t.object({
  ...counts,
  tenants: t.array(t.object({ id: t.uuid(), slug: t.string(), ...counts })),
});
export type AppliedFixtures = Infer<typeof appliedFixtures>;

export const applyFixtures = defineAdminOperation('fixtures.apply', 'POST', '/admin/fixtures', {
  summary: 'Apply fixtures',
  description:
    'Creates the tenants and records that do not exist, and updates those that differ; others stay. One transaction per tenant; with an invalid record nothing is applied.',
  query: t.object({
    dry_run: t.withDefault(
      t.annotate(queryBoolean(), { description: 'Return what would be created and changed, and change nothing.' }),
      false,
    ),
  }),
  body: fixtureDocument,
  bodyMaxBytes: FIXTURES_MAX_BYTES,
  result: single(appliedFixtures),
  errors: ['DUPLICATE_VALUE'],
  example: {
    body: {
      tenants: [
        { slug: 'shop', name: 'Shop', items: [{ name: 'Bolt', sku: 'BOLT' }], stock: [{ item: 'BOLT', quantity: 100, unitCost: 0.12 }] },
      ],
    },
  },
});

export const exportFixtures = defineAdminOperation('fixtures.export', 'GET', '/admin/fixtures', {
  summary: 'Export a tenant as fixtures',
  description:
    'Its settings, records, stock on hand, and the orders and documents that have not ended. Keys and client secrets are stored as hashes and are not exported.',
  query: t.object({
    ...tenantQuery.properties,
    secrets: t.withDefault(t.annotate(queryBoolean(), { description: 'Include the signing secrets of webhook endpoints.' }), false),
  }),
  result: single(fixtureDocument),
});

export const fixtureOperations = [applyFixtures, exportFixtures] as const;
