/** Data to look at: the demo tenants, and generated rows for tests at scale. D §8. */
import { PLANS } from '../scopes.ts';
import { SEED_ITEMS_MAX } from '../limits.ts';
import { operation, one } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { tenantQuery } from './common.ts';

const count = () => t.int({ min: 0 });

export const demoTenant = t.object({
  id: t.uuid(),
  slug: t.string(),
  name: t.string(),
  plan: t.enums(PLANS),
  isNew: t.about(t.bool(), { description: 'False: it was there already and stays as people left it.' }),
  keyPrefix: t.about(t.nullable(t.string()), { description: 'The public part of the key made for a new tenant.' }),
  secret: t.about(t.nullable(t.string()), { description: 'The key itself, shown this once; null when the tenant was there already.' }),
});
export type LoadedDemoTenant = Infer<typeof demoTenant>;

export const loadDemo = operation({
  id: 'demo.load',
  method: 'POST',
  path: '/admin/demo',
  scope: null,
  summary: 'Load the demo tenants that are not there yet, each with a key for everything',
  body: t.object({}),
  status: 200,
  result: t.object({ data: t.array(demoTenant) }),
  errors: ['DUPLICATE_VALUE'],
  example: { body: {} },
});

export const seedProgress = t.object({
  status: t.enums(['idle', 'running', 'done', 'failed']),
  tenant: t.nullable(t.string()),
  /** Rows made so far, of all kinds, and how many there will be. */
  done: count(),
  total: count(),
  items: count(),
  contacts: count(),
  orders: count(),
  elapsedMs: count(),
  error: t.nullable(t.string()),
});
export type SeedProgress = Infer<typeof seedProgress>;

export const startSeed = operation({
  id: 'seed.start',
  method: 'POST',
  path: '/admin/seed',
  scope: null,
  summary: 'Begin to generate items with suppliers, recipes, contacts and orders; the same seed makes the same data',
  query: tenantQuery,
  body: t.object({
    items: t.int({ min: 1, max: SEED_ITEMS_MAX }),
    orders: t.optional(t.about(t.int({ min: 0, max: SEED_ITEMS_MAX }), { description: 'Default: one for ten items.' })),
    seed: t.withDefault(t.int({ min: 0, max: 4_294_967_295 }), 42),
  }),
  status: 200,
  result: one(seedProgress),
  errors: ['LIMIT_REACHED'],
  example: { body: { items: 1000, seed: 42 } },
});

export const getSeed = operation({
  id: 'seed.get',
  method: 'GET',
  path: '/admin/seed',
  scope: null,
  summary: 'Read how far the generating is',
  status: 200,
  result: one(seedProgress),
});

export const demoOperations = [loadDemo, startSeed, getSeed] as const;
