/** API keys: their form, their record, what makes one valid. decisions-api §5. */
import { hash as digestOf, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyDraft } from '../contract/admin/keys.ts';
import type { Resource } from '../contract/oauth.ts';
import { type Environment, SCOPES, type Scope } from '../contract/scopes.ts';
import { effectiveKey } from './applications.ts';
import { note } from './changes.ts';
import type { Context } from './context.ts';
import { milliseconds } from './durations.ts';
import { invalidField, notFound } from './errors.ts';
import type { NewId } from './ports.ts';
import type { ReadTx, Tx } from './tables.ts';
import type { TenantRecord } from './tenants.ts';
import { requiredText } from './text.ts';

export interface ApiKeyRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  /** `pk_test_` or `pk_live_` and the 8 public characters; unique, not secret. */
  readonly prefix: string;
  /** SHA-256 of the whole key, hex. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly environment: Environment | null;
  readonly rateLimitTier: string;
  /** Partner application and installation that obtained the key; null for a key made in the settings. */
  readonly applicationId: string | null;
  readonly installationId: string | null;
  /** What the key was asked for (RFC 8707); absent: everything, as for a key made in the settings. */
  readonly audience?: readonly Resource[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Written at most once a minute. */
  readonly lastUsedAt: string | null;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = /^pk_(?:test|live)_[0-9A-Za-z]{46}$/u;
const PREFIX_CHARS = 16;
const ID_CHARS = 8;
const SECRET_CHARS = 32;
const CHECKSUM_CHARS = 6;
const DUMMY_DIGEST = digestOf('sha256', 'no such key', 'buffer');

/** A fresh key: the secret to show once, and what is kept of it. `random` returns that many random bytes. */
export function makeKey(
  environment: Environment | null,
  random: (bytes: number) => Uint8Array = randomBytes,
): { secret: string; prefix: string; hash: string } {
  const prefix = `pk_${environment === 'production' ? 'live' : 'test'}_${randomText(ID_CHARS, random)}`;
  const unchecked = prefix + randomText(SECRET_CHARS, random);
  const secret = unchecked + checksum(unchecked);
  return { secret, prefix, hash: hashKey(secret) };
}

export const hashKey = (secret: string): string => digestOf('sha256', secret);

export interface NewKey {
  readonly tenantId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly environment: Environment | null;
  readonly rateLimitTier: string;
  readonly expiresAt?: string | null;
  readonly applicationId?: string;
  readonly installationId?: string;
  readonly audience?: readonly Resource[];
}

/** Stores a fresh key and returns it with its secret, which nobody can read again. */
export async function createKey(tx: Tx, now: Date, newId: NewId, draft: NewKey): Promise<{ key: ApiKeyRecord; secret: string }> {
  const { secret, prefix, hash } = makeKey(draft.environment);
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

/** Scopes, tier and expiry of a key made in the settings; 400 for each that makes no sense. `tiers` are the names in force. */
export function keySettings(draft: KeyDraft, tiers: readonly string[], now: Date): Pick<NewKey, 'scopes' | 'rateLimitTier' | 'expiresAt'> {
  if (draft.allScopes === (draft.scopes !== undefined)) {
    throw invalidField(
      '/scopes',
      draft.allScopes ? 'Send scopes or allScopes, not both.' : 'scopes is required, or allScopes: true for every scope.',
      draft.allScopes ? 'not_allowed' : 'required',
    );
  }
  if (!tiers.includes(draft.rateLimitTier)) {
    throw invalidField('/rateLimitTier', `There is no tier ${draft.rateLimitTier}; there are ${tiers.join(', ')}.`, 'not_allowed');
  }
  // In the order of the contract, whatever the order of the request.
  const scopes = SCOPES.filter((scope) => draft.scopes?.includes(scope) ?? true);
  return { scopes, rateLimitTier: draft.rateLimitTier, expiresAt: expiryOf(draft, now) };
}

const LAST_YEAR = 9999;

function expiryOf({ expiresAt = null, expiresIn }: KeyDraft, now: Date): string | null {
  if (expiresIn !== undefined) {
    if (expiresAt !== null) throw invalidField('/expiresIn', 'Send expiresAt or expiresIn, not both.', 'not_allowed');
    return new Date(now.getTime() + milliseconds(expiresIn, '/expiresIn')).toISOString();
  }
  if (expiresAt === null) return null;
  if (Date.parse(expiresAt) <= now.getTime())
    throw invalidField('/expiresAt', `expiresAt must be later than now, ${now.toISOString()}`, 'too_small');
  if (new Date(expiresAt).getUTCFullYear() > LAST_YEAR)
    throw invalidField('/expiresAt', 'expiresAt must be in a year of four digits, in UTC', 'too_big');
  return new Date(expiresAt).toISOString();
}

/** `createKey` for somebody, in the tenant of the context. */
export async function addKey(
  tx: Tx,
  context: Context,
  draft: KeyDraft,
  tiers: readonly string[],
): Promise<{ key: ApiKeyRecord; secret: string }> {
  const { name, environment } = draft;
  const made = await createKey(tx, context.now, context.newId, {
    tenantId: context.tenant.id,
    name: requiredText(name, '/name'),
    environment,
    ...keySettings(draft, tiers, context.now),
  });
  const { prefix, scopes, rateLimitTier, expiresAt } = made.key;
  await noteKey(tx, context, 'api_key.created', made.key, { name, prefix, scopes, environment, rateLimitTier, expiresAt });
  return made;
}

/** Ends a key of the tenant, by id or prefix, at once and for good; a second time changes nothing. */
export async function revokeKey(tx: Tx, context: Context, idOrPrefix: string): Promise<ApiKeyRecord> {
  // Somebody may well paste the whole key: no more than its public part may come back in an error.
  const reference = idOrPrefix.startsWith('pk_') ? idOrPrefix.slice(0, PREFIX_CHARS) : idOrPrefix;
  const key = (await tx.apiKeys.get(reference)) ?? (await tx.apiKeys.find('prefix', reference));
  if (!key || key.tenantId !== context.tenant.id) throw notFound('key', reference);
  if (key.revokedAt !== null) return key;
  const revoked: ApiKeyRecord = { ...key, revokedAt: context.now.toISOString() };
  await tx.apiKeys.put(revoked);
  await noteKey(tx, context, 'api_key.revoked', key, { name: key.name, prefix: key.prefix });
  return revoked;
}

const noteKey = (tx: Tx, context: Context, action: string, key: ApiKeyRecord, metadata: Readonly<Record<string, unknown>>): Promise<void> =>
  note(tx, context, { action, resourceType: 'api_key', resourceId: key.id, metadata });

/** The live key, as it counts now, and its tenant for a secret, or the reason why there is none (for the log, never for the caller). */
export async function findLiveKey(
  tx: ReadTx,
  secret: string,
  now: Date,
): Promise<{ key: ApiKeyRecord; tenant: TenantRecord; disabled?: string } | { refused: string }> {
  const key = await findKey(tx, secret);
  if (!key) return { refused: 'malformed or unknown' };
  if (key.revokedAt !== null) return { refused: 'revoked' };
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) return { refused: 'expired' };
  const tenant = await tx.tenants.get(key.tenantId);
  if (!tenant?.isActive) return { refused: 'tenant inactive' };
  return key.applicationId === null ? { key, tenant } : { tenant, ...(await effectiveKey(tx, key)) };
}

/** The key of a secret, whether live or not. An unknown prefix costs the same comparison as a known one. */
export async function findKey(tx: ReadTx, secret: string): Promise<ApiKeyRecord | undefined> {
  // Its checksum is for whoever looks for leaked keys: one that is wrong belongs to no key, and its hash tells so.
  if (!KEY.test(secret)) return undefined;
  const key = await tx.apiKeys.find('prefix', secret.slice(0, PREFIX_CHARS));
  const same = timingSafeEqual(digestOf('sha256', secret, 'buffer'), key ? Buffer.from(key.hash, 'hex') : DUMMY_DIGEST);
  return same ? key : undefined;
}

/** Random letters and digits, 5.95 bits each. `random` returns that many random bytes. */
export function randomText(length: number, random: (bytes: number) => Uint8Array = randomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length)) {
      // 248 = 4 × 62: bytes above it would favour the first characters.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_CHARS; i += 1) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
