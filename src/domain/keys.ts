/** API keys: their form, their record, what makes one valid. decisions-api §5. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment, Scope } from '../contract/scopes.ts';
import type { NewId } from './ports.ts';
import type { ReadTx, Tx } from './tables.ts';
import type { TenantRecord } from './tenants.ts';

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
const DUMMY_DIGEST = createHash('sha256').update('no such key').digest();

/** A fresh key: the secret to show once, and what is kept of it. `random` returns that many random bytes. */
export function makeKey(environment: Environment | null, random: (bytes: number) => Uint8Array = randomBytes): { secret: string; prefix: string; hash: string } {
  const prefix = `pk_${environment === 'production' ? 'live' : 'test'}_${randomText(ID_CHARS, random)}`;
  const unchecked = prefix + randomText(SECRET_CHARS, random);
  const secret = unchecked + checksum(unchecked);
  return { secret, prefix, hash: hashKey(secret) };
}

export const hashKey = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export interface NewKey {
  readonly tenantId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly environment: Environment | null;
  readonly rateLimitTier: string;
  readonly expiresAt?: string | null;
  readonly applicationId?: string;
  readonly installationId?: string;
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

/** The live key and its tenant for a secret, or the reason why there is none (for the log, never for the caller). */
export async function findLiveKey(tx: ReadTx, secret: string, now: Date): Promise<{ key: ApiKeyRecord; tenant: TenantRecord } | { refused: string }> {
  if (!KEY.test(secret) || checksum(secret.slice(0, -CHECKSUM_CHARS)) !== secret.slice(-CHECKSUM_CHARS)) return { refused: 'malformed' };
  const key = await tx.apiKeys.find('prefix', secret.slice(0, PREFIX_CHARS));
  const digest = createHash('sha256').update(secret).digest();
  // An unknown prefix costs the same comparison as a known one.
  const same = timingSafeEqual(digest, key ? Buffer.from(key.hash, 'hex') : DUMMY_DIGEST);
  if (!key || !same) return { refused: 'unknown' };
  if (key.revokedAt !== null) return { refused: 'revoked' };
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) return { refused: 'expired' };
  const tenant = await tx.tenants.get(key.tenantId);
  return tenant?.isActive ? { key, tenant } : { refused: 'tenant inactive' };
}

function randomText(length: number, random: (bytes: number) => Uint8Array): string {
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
