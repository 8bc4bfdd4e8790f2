/** API keys of a tenant: created, shown once, rotated, revoked. C-5; A-5. */
import { DEFAULT_TIER, NAME_MAX_CHARS } from '../limits.ts';
import { queryBoolean, single, defineAdminOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { ENVIRONMENTS, SCOPES } from '../scopes.ts';
import { duration, tenantListQuery, defineTenantOperation } from './shared-schemas.ts';
import { tierName } from './tiers.ts';

/** `replaced`: by a rotation; valid until it expires. */
export const KEY_STATUSES = ['active', 'replaced', 'expired', 'revoked'] as const;

export const apiKey = t.object({
  id: t.uuid(),
  prefix: t.annotate(t.string(), { description: 'Public part of the key; the rest is not stored.' }),
  name: t.string(),
  status: t.enums(KEY_STATUSES),
  scopes: t.array(t.enums(SCOPES)),
  environment: t.nullable(t.enums(ENVIRONMENTS)),
  rateLimitTier: t.string(),
  applicationId: t.nullable(t.id('app')),
  createdAt: t.timestamp(),
  expiresAt: t.nullable(t.timestamp()),
  revokedAt: t.nullable(t.timestamp()),
  lastUsedAt: t.nullable(t.timestamp()),
});
export type ApiKey = Infer<typeof apiKey>;

export const keyDraft = t.object({
  name: describe(t.withDefault(t.line(NAME_MAX_CHARS), 'API key'), 'Name to identify the key.'),
  scopes: t.optional(t.array(t.enums(SCOPES), { min: 1, max: SCOPES.length, unique: true })),
  allScopes: t.withDefault(t.annotate(t.bool(), { description: 'Grant all scopes instead of listing `scopes`.' }), false),
  environment: t.withDefault(
    t.annotate(t.nullable(t.enums(ENVIRONMENTS)), { description: 'Sets the key prefix: pk_live_ for production, else pk_test_.' }),
    'development',
  ),
  rateLimitTier: t.withDefault(tierName(), DEFAULT_TIER),
  expiresAt: describe(t.optional(t.nullable(t.timestamp())), 'Expiry time.'),
  expiresIn: t.optional(t.annotate(duration(), { description: 'Lifetime such as 30d or 12h, instead of `expiresAt`.' })),
});
export type KeyDraft = Infer<typeof keyDraft>;

export const listKeys = defineAdminOperation('keys.list', 'GET', '/admin/keys', {
  summary: 'List API keys',
  description: 'Secrets are not included.',
  // The only changes to a key are its use and its end, so there is no `updated_since` filter.
  query: t.object(
    omitChangeFilter({
      ...tenantListQuery(['-created_at']),
      is_revoked: t.optional(t.annotate(queryBoolean(), { description: 'Only revoked or only active keys.' })),
    }),
  ),
  result: paginated(apiKey),
});

function omitChangeFilter<Q extends { updated_since: unknown }>({ updated_since: _since, ...query }: Q) {
  return query;
}

const keyWithSecret = t.object({
  data: apiKey,
  secret: t.optional(t.annotate(t.string(), { description: 'Shown only in this response, not when the request is replayed.' })),
});

export const createKey = defineTenantOperation('keys.create', 'POST', '/admin/keys', {
  summary: 'Create an API key',
  description: 'The secret is shown only in this response.',
  body: keyDraft,
  status: 201,
  result: keyWithSecret,
  shownOnce: ['secret'],
  example: { body: { name: 'Storefront', scopes: ['items:read'], expiresIn: '30d' } },
});

const byKey = t.object({
  key: t.annotate(t.string({ max: NAME_MAX_CHARS }), { description: 'Id or prefix of the key.', refersTo: 'key' }),
});

export const updateKey = defineTenantOperation('keys.update', 'PATCH', '/admin/keys/{key}', {
  summary: 'Update the name or the rate-limit tier of an API key',
  description: 'Takes effect immediately.',
  params: byKey,
  body: t.object({
    name: describe(t.optional(t.line(NAME_MAX_CHARS)), 'Name to identify the key.'),
    rateLimitTier: t.optional(tierName()),
  }),
  result: single(apiKey),
});

export const rotateKey = defineTenantOperation('keys.rotate', 'POST', '/admin/keys/{key}/rotate', {
  summary: 'Rotate an API key',
  description:
    'The new key has the same name, scopes, environment, tier and lifetime, and finds the replies to requests with the same `Idempotency-Key`. The previous key remains valid for a day.',
  params: byKey,
  body: t.object({}),
  status: 201,
  result: keyWithSecret,
  shownOnce: ['secret'],
  errors: ['INVALID_STATE'],
});

export const revokeKey = defineTenantOperation('keys.revoke', 'POST', '/admin/keys/{key}/revoke', {
  summary: 'Revoke an API key permanently',
  description: 'Takes effect immediately.',
  params: byKey,
  body: t.object({}),
  result: single(apiKey),
});

export const keyOperations = [listKeys, createKey, updateKey, rotateKey, revokeKey] as const;
