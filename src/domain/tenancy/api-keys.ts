/** API keys: generated, stored, rotated, revoked and looked up. A-5. */
import { hash as computeDigest, randomBytes, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { KeyDraft } from '../../contract/admin/keys.ts';
import { KEY_PREFIX_CHARS, ROTATION_OVERLAP_H } from '../../contract/limits.ts';
import type { Resource } from '../../contract/oauth.ts';
import { type Environment, SCOPES, type Scope } from '../../contract/scopes.ts';
import { recordChange } from '../events/changes.ts';
import type { Context } from '../kernel/context.ts';
import { parseDuration } from './durations.ts';
import { StockroomError, invalidField, notFound } from '../kernel/errors.ts';
import type { NewId } from '../kernel/ports.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { requireText } from '../kernel/text.ts';
import type { ApiKeyRecord } from './records.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_PATTERN = /^pk_(?:test|live)_[0-9A-Za-z]{46}$/u;
const ID_CHARS = 8;
const SECRET_CHARS = 32;
const CHECKSUM_CHARS = 6;
const DUMMY_DIGEST = computeDigest('sha256', 'no such key', 'buffer');

/** A new key: the secret to show once, and the prefix and hash to store. `random` returns the given number of random bytes. */
export function generateKey(
  environment: Environment | null,
  random: (bytes: number) => Uint8Array = randomBytes,
): { secret: string; prefix: string; hash: string } {
  const prefix = `pk_${environment === 'production' ? 'live' : 'test'}_${generateRandomText(ID_CHARS, random)}`;
  const unchecked = prefix + generateRandomText(SECRET_CHARS, random);
  const secret = unchecked + computeChecksum(unchecked);
  return { secret, prefix, hash: hashKey(secret) };
}

/** A key that is given, as `generateKey` returns a new one. */
const toKey = (secret: string): ReturnType<typeof generateKey> => ({
  secret,
  prefix: secret.slice(0, KEY_PREFIX_CHARS),
  hash: hashKey(secret),
});

/** The two halves of a key without its checksum, which would reveal something of the other half: 16 random characters each. */
export function splitKey(secret: string): readonly [first: string, second: string] {
  const middle = KEY_PREFIX_CHARS + SECRET_CHARS / 2;
  return [secret.slice(0, middle), secret.slice(middle, KEY_PREFIX_CHARS + SECRET_CHARS)];
}

export const joinKey = (first: string, second: string): string => first + second + computeChecksum(first + second);

export const hashKey = (secret: string): string => computeDigest('sha256', secret);

export interface NewKey {
  readonly tenantId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly environment: Environment | null;
  readonly rateLimitTier: string;
  readonly expiresAt?: string | null;
  readonly applicationId?: string;
  readonly installationId?: string;
  readonly lineageId?: string;
  readonly audience?: readonly Resource[];
  readonly isConsole?: true;
}

/** Stores a new key, of fixtures with a `given` secret, and returns it with its secret, which cannot be read again. */
export async function createKey(
  tx: Tx,
  now: Date,
  newId: NewId,
  draft: NewKey,
  given?: string,
): Promise<{ key: ApiKeyRecord; secret: string }> {
  const { secret, prefix, hash } = given === undefined ? generateKey(draft.environment) : toKey(given);
  const key: ApiKeyRecord = {
    expiresAt: null,
    applicationId: null,
    installationId: null,
    ...draft,
    id: newId(),
    prefix,
    hash,
    createdAt: now.toISOString(),
    revokedAt: null,
    lastUsedAt: null,
  };
  await tx.apiKeys.put(key);
  return { key, secret };
}

function checkTier(tier: string, tiers: readonly string[]): void {
  if (!tiers.includes(tier))
    throw invalidField('/rateLimitTier', `There is no tier ${tier}. Valid tiers: ${tiers.join(', ')}.`, 'not_allowed');
}

/** Validates scopes, tier and expiry of a key that is created in the settings. `tiers` are the names of the existing tiers. */
export function checkKeyDraft(
  draft: KeyDraft,
  tiers: readonly string[],
  now: Date,
): Pick<NewKey, 'scopes' | 'rateLimitTier' | 'expiresAt'> {
  if (draft.allScopes === (draft.scopes !== undefined)) {
    throw invalidField(
      '/scopes',
      draft.allScopes ? 'Send scopes or allScopes, not both.' : 'scopes is required, or allScopes: true for every scope.',
      draft.allScopes ? 'not_allowed' : 'required',
    );
  }
  checkTier(draft.rateLimitTier, tiers);
  // In the order of the contract.
  const scopes = SCOPES.filter((scope) => draft.scopes?.includes(scope) ?? true);
  return { scopes, rateLimitTier: draft.rateLimitTier, expiresAt: getExpiry(draft, now) };
}

const MAX_YEAR = 9999;

function getExpiry({ expiresAt = null, expiresIn }: KeyDraft, now: Date): string | null {
  if (expiresIn !== undefined) {
    if (expiresAt !== null) throw invalidField('/expiresIn', 'Send expiresAt or expiresIn, not both.', 'not_allowed');
    return new Date(now.getTime() + parseDuration(expiresIn, '/expiresIn')).toISOString();
  }
  if (expiresAt === null) return null;
  if (Date.parse(expiresAt) <= now.getTime())
    throw invalidField('/expiresAt', `expiresAt must be later than now, ${now.toISOString()}`, 'too_small');
  if (new Date(expiresAt).getUTCFullYear() > MAX_YEAR)
    throw invalidField('/expiresAt', 'expiresAt must be in a year of four digits, in UTC', 'too_big');
  return new Date(expiresAt).toISOString();
}

/** Creates a key in the tenant of the context, with an audit row. */
export async function addKey(
  tx: Tx,
  context: Context,
  draft: KeyDraft,
  tiers: readonly string[],
  given?: string,
): Promise<{ key: ApiKeyRecord; secret: string }> {
  const { name, environment } = draft;
  const fields = {
    tenantId: context.tenant.id,
    name: requireText(name, '/name'),
    environment,
    ...checkKeyDraft(draft, tiers, context.now),
  };
  const created = await createKey(tx, context.now, context.newId, fields, given);
  const { prefix, scopes, rateLimitTier, expiresAt } = created.key;
  await recordKeyChange(tx, context, 'api_key.created', created.key, { name, prefix, scopes, environment, rateLimitTier, expiresAt });
  return created;
}

/** Creates or updates the key with this secret; its audit row has no secret. Fails if another tenant has a key with its prefix. */
export async function applyKey(
  tx: Tx,
  context: Context,
  draft: KeyDraft,
  tiers: readonly string[],
  secret: string,
): Promise<{ id: string; outcome: 'created' | 'changed' | 'unchanged' }> {
  const { prefix, hash } = toKey(secret);
  const before = await tx.apiKeys.findUnique('prefix', prefix);
  if (!before) return { id: (await addKey(tx, context, draft, tiers, secret)).key.id, outcome: 'created' };
  if (before.hash !== hash || before.tenantId !== context.tenant.id)
    throw invalidField('/secret', `Another key has the prefix ${prefix}; choose other characters after pk_test_`, 'not_allowed');
  const { scopes, rateLimitTier, expiresAt = null } = checkKeyDraft(draft, tiers, context.now);
  // A lifetime counts from the creation.
  const expiry = draft.expiresIn === undefined ? { expiresAt } : {};
  const after: ApiKeyRecord = { ...before, name: requireText(draft.name, '/name'), scopes, rateLimitTier, ...expiry, revokedAt: null };
  const { id } = before;
  if (isDeepStrictEqual(after, before)) return { id, outcome: 'unchanged' };
  await tx.apiKeys.put(after);
  const { name } = after;
  await recordKeyChange(tx, context, 'api_key.updated', after, { name, prefix, scopes, rateLimitTier });
  return { id, outcome: 'changed' };
}

/** Changes the name or the tier of a key, by id or prefix. `tiers` are the names of the existing tiers. */
export async function updateKey(
  tx: Tx,
  context: Context,
  idOrPrefix: string,
  { name, rateLimitTier }: { readonly name?: string | undefined; readonly rateLimitTier?: string | undefined },
  tiers: readonly string[],
): Promise<ApiKeyRecord> {
  const before = await getTenantKey(tx, context, idOrPrefix);
  if (rateLimitTier !== undefined) checkTier(rateLimitTier, tiers);
  const after: ApiKeyRecord = {
    ...before,
    ...(name !== undefined && { name: requireText(name, '/name') }),
    ...(rateLimitTier !== undefined && { rateLimitTier }),
  };
  if (isDeepStrictEqual(after, before)) return before;
  await tx.apiKeys.put(after);
  await recordKeyChange(tx, context, 'api_key.updated', after, {
    name: after.name,
    prefix: after.prefix,
    rateLimitTier: after.rateLimitTier,
  });
  return after;
}

/** Revokes a key of the tenant, by id or prefix, immediately and permanently. A revoked key stays unchanged. */
export async function revokeKey(tx: Tx, context: Context, idOrPrefix: string): Promise<ApiKeyRecord> {
  const key = await getTenantKey(tx, context, idOrPrefix);
  if (key.revokedAt !== null) return key;
  const revoked: ApiKeyRecord = { ...key, revokedAt: context.now.toISOString() };
  await tx.apiKeys.put(revoked);
  await recordKeyChange(tx, context, 'api_key.revoked', key, { name: key.name, prefix: key.prefix });
  return revoked;
}

/**
 * Creates the successor of a key, with its name, scopes, environment, tier and lifetime. The key itself remains valid for the overlap, and
 * its successor finds the replies that were stored for it.
 */
export async function rotateKey(tx: Tx, context: Context, idOrPrefix: string): Promise<{ key: ApiKeyRecord; secret: string }> {
  const { now, newId } = context;
  const before = await getTenantKey(tx, context, idOrPrefix);
  checkRotatable(before, now);
  const { id, tenantId, name, scopes, environment, rateLimitTier, lineageId = id } = before;
  const expiresAt =
    before.expiresAt === null ? null : new Date(now.getTime() + Date.parse(before.expiresAt) - Date.parse(before.createdAt)).toISOString();
  const rotated = await createKey(tx, now, newId, { tenantId, name, scopes, environment, rateLimitTier, expiresAt, lineageId });
  const overlapEnd = new Date(now.getTime() + ROTATION_OVERLAP_H * 3_600_000).toISOString();
  const validUntil = before.expiresAt !== null && before.expiresAt < overlapEnd ? before.expiresAt : overlapEnd;
  await tx.apiKeys.put({ ...before, expiresAt: validUntil, replacedBy: rotated.key.id });
  const metadata = { name, prefix: before.prefix, newPrefix: rotated.key.prefix, newKeyId: rotated.key.id, expiresAt, validUntil };
  await recordKeyChange(tx, context, 'api_key.rotated', before, metadata);
  return rotated;
}

function checkRotatable({ prefix, applicationId, isConsole, revokedAt, expiresAt, replacedBy }: ApiKeyRecord, now: Date): void {
  const reason =
    applicationId !== null
      ? 'belongs to an application, which requests a new token instead'
      : isConsole
        ? 'is a session of the console'
        : revokedAt !== null
          ? 'is revoked'
          : replacedBy !== undefined
            ? 'was rotated already; rotate its successor'
            : expiresAt !== null && Date.parse(expiresAt) <= now.getTime()
              ? 'has expired'
              : undefined;
  if (reason !== undefined) throw new StockroomError('INVALID_STATE', `Key ${prefix} ${reason}.`);
}

/** Who acts with a key in a tenant: one application with all its keys, or one key with its successors. They share idempotency keys. */
export const getPrincipal = ({ id, applicationId, lineageId = id }: ApiKeyRecord): string => applicationId ?? lineageId;

async function getTenantKey(tx: ReadTx, { tenant }: Context, idOrPrefix: string): Promise<ApiKeyRecord> {
  // The input may be a whole key by mistake: the error must contain its public prefix only.
  const reference = idOrPrefix.startsWith('pk_') ? idOrPrefix.slice(0, KEY_PREFIX_CHARS) : idOrPrefix;
  const key = (await tx.apiKeys.get(reference)) ?? (await tx.apiKeys.findUnique('prefix', reference));
  if (!key || key.tenantId !== tenant.id) throw notFound('key', `${reference} in tenant ${tenant.slug}`);
  return key;
}

export const recordKeyChange = (
  tx: Tx,
  context: Context,
  action: string,
  key: ApiKeyRecord,
  metadata: Readonly<Record<string, unknown>>,
): Promise<void> => recordChange(tx, context, { action, resourceType: 'api_key', resourceId: key.id, metadata });

/** The key with this secret, also if expired or revoked. Unknown prefixes take the same comparison time as known ones. */
export async function findKey(tx: ReadTx, secret: string): Promise<ApiKeyRecord | undefined> {
  // The checksum is for secret scanners; a wrong one needs no check here, because the hash does not match either.
  if (!KEY_PATTERN.test(secret)) return undefined;
  const key = await tx.apiKeys.findUnique('prefix', secret.slice(0, KEY_PREFIX_CHARS));
  const same = timingSafeEqual(computeDigest('sha256', secret, 'buffer'), key ? Buffer.from(key.hash, 'hex') : DUMMY_DIGEST);
  return same ? key : undefined;
}

/** Random letters and digits, 5.95 bits each. `random` returns the given number of random bytes. */
export function generateRandomText(length: number, random: (bytes: number) => Uint8Array = randomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length)) {
      // 248 = 4 × 62: larger bytes would favor the first characters.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}

function computeChecksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_CHARS; i += 1) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
