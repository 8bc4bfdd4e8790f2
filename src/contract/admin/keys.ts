/** API keys of a tenant: made, shown once, revoked. Contract part 5; decisions-api §5. */
import { DEFAULT_TIER, NAME_MAX_CHARS } from '../limits.ts';
import { flag, one, operation, pageOf } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { ENVIRONMENTS, SCOPES } from '../scopes.ts';
import { duration, tenantListQuery, tenantQuery } from './common.ts';
import { tierName } from './tiers.ts';

export const apiKey = t.object({
  id: t.uuid(),
  prefix: t.about(t.string(), { description: 'The public part; the rest of the key is not kept.' }),
  name: t.string(),
  scopes: t.array(t.enums(SCOPES)),
  environment: t.nullable(t.enums(ENVIRONMENTS)),
  rateLimitTier: t.string(),
  applicationId: t.nullable(t.uuid()),
  createdAt: t.timestamp(),
  expiresAt: t.nullable(t.timestamp()),
  revokedAt: t.nullable(t.timestamp()),
  lastUsedAt: t.nullable(t.timestamp()),
});
export type ApiKey = Infer<typeof apiKey>;

export const keyDraft = t.object({
  name: t.withDefault(t.line(NAME_MAX_CHARS), 'API key'),
  scopes: t.optional(t.array(t.enums(SCOPES), { min: 1, max: SCOPES.length, unique: true })),
  allScopes: t.withDefault(t.about(t.bool(), { description: 'Every scope there is, instead of `scopes`.' }), false),
  environment: t.withDefault(
    t.about(t.nullable(t.enums(ENVIRONMENTS)), { description: 'Decides the prefix: production makes pk_live_, all else pk_test_.' }),
    'development',
  ),
  rateLimitTier: t.withDefault(tierName(), DEFAULT_TIER),
  expiresAt: t.optional(t.nullable(t.timestamp())),
  expiresIn: t.optional(t.about(duration(), { description: 'From now, instead of `expiresAt`.' })),
});
export type KeyDraft = Infer<typeof keyDraft>;

export const listKeys = operation({
  id: 'keys.list',
  method: 'GET',
  path: '/admin/keys',
  scope: null,
  summary: 'List keys, never their secrets',
  // Keys only ever end, so there is no change to ask for.
  query: t.object(withoutUpdates({ ...tenantListQuery(['-created_at']), is_revoked: t.optional(flag()) })),
  status: 200,
  result: pageOf(apiKey),
});

function withoutUpdates<Q extends { updated_since: unknown; search: unknown }>({ updated_since: _u, search: _s, ...query }: Q) {
  return query;
}

export const createKey = operation({
  id: 'keys.create',
  method: 'POST',
  path: '/admin/keys',
  scope: null,
  summary: 'Create a key; the reply is the only place where its secret is shown',
  query: tenantQuery,
  body: keyDraft,
  status: 201,
  result: t.object({ data: apiKey, secret: t.string() }),
  example: { body: { name: 'Storefront', scopes: ['items:read'], expiresIn: '30d' } },
});

export const revokeKey = operation({
  id: 'keys.revoke',
  method: 'POST',
  path: '/admin/keys/{key}/revoke',
  scope: null,
  summary: 'Revoke a key at once and for good',
  params: t.object({ key: t.about(t.string({ max: NAME_MAX_CHARS }), { description: 'Id or prefix.' }) }),
  query: tenantQuery,
  body: t.object({}),
  status: 200,
  result: one(apiKey),
});

export const keyOperations = [listKeys, createKey, revokeKey] as const;
