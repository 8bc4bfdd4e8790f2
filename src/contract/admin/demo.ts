/** Sample data: the demo tenants, and generated rows for load tests. D-24. */
import { PLANS } from '../scopes.ts';
import { SEED_ITEMS_MAX } from '../limits.ts';
import { defineAdminOperation, single } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { defineTenantOperation } from './shared-schemas.ts';

/** Slug of the main demo tenant. */
export const MAIN_DEMO_TENANT = 'kestrel-coffee';

const count = () => t.int({ min: 0 });

export const demoTenant = t.object({
  id: t.uuid(),
  slug: t.string(),
  name: t.string(),
  plan: t.enums(PLANS),
  isNew: t.annotate(t.bool(), { description: 'False when the tenant already existed; existing tenants are not changed.' }),
  keyPrefix: t.annotate(t.nullable(t.string()), { description: 'Public prefix of the key created for a new tenant.' }),
  secret: t.annotate(t.nullable(t.string()), { description: 'The key, shown only once; null when the tenant already existed.' }),
});
export type LoadedDemoTenant = Infer<typeof demoTenant>;

export const loadDemo = defineAdminOperation('demo.load', 'POST', '/admin/demo', {
  summary: 'Load missing demo tenants',
  description: 'Each new tenant gets a key with all scopes.',
  body: t.object({}),
  result: t.object({ data: t.array(demoTenant) }),
  errors: ['DUPLICATE_VALUE'],
  example: { body: {} },
});

export const seedProgress = t.object({
  status: t.enums(['idle', 'running', 'done', 'failed']),
  tenant: t.nullable(t.string()),
  /** Items, contacts and orders created so far, and the total to create. */
  done: count(),
  total: count(),
  items: count(),
  contacts: count(),
  orders: count(),
  elapsedMs: count(),
  error: t.nullable(t.string()),
});
export type SeedProgress = Infer<typeof seedProgress>;

export const startSeed = defineTenantOperation('seed.start', 'POST', '/admin/seed', {
  summary: 'Start generating test data',
  description:
    'Generates items with suppliers and ingredients, contacts and orders, in batches: a run that fails keeps the finished ones. The same seed generates the same data.',
  body: t.object({
    items: describe(t.int({ min: 1, max: SEED_ITEMS_MAX }), 'Number of items.'),
    orders: t.optional(
      describe(t.int({ min: 0, max: SEED_ITEMS_MAX }), 'Number of orders, half of them completed. Default: one per ten items.'),
    ),
    seed: describe(t.withDefault(t.int({ min: 0, max: 4_294_967_295 }), 42), 'Seed of the random generator.'),
  }),
  result: single(seedProgress),
  errors: ['LIMIT_REACHED'],
  example: { body: { items: 1000, seed: 42 } },
});

export const getSeed = defineAdminOperation('seed.get', 'GET', '/admin/seed', {
  summary: 'Get the progress of test data generation',
  result: single(seedProgress),
});

export const demoOperations = [loadDemo, startSeed, getSeed] as const;
