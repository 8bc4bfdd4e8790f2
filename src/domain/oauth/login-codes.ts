/**
 * Login codes and proofs: they show to a consent page that the person in front of it owns the daemon. A code is entered once and exchanged
 * for a proof, which the browser keeps in a cookie. Both are stored as hashes..
 */
import { hash, randomBytes, randomInt } from 'node:crypto';
import type { Tx } from '../tables.ts';
import { CONSENT_LIFETIME_MS, purgeConsents } from './pending-consents.ts';
import type { LoginCodeRecord, PendingConsentRecord } from './records.ts';

/** Without characters that look alike. */
const CODE_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const CODE_CHARS = 8;
const CODES_MAX = 20;
const PROOF_BYTES = 32;
/** Of one request: a form that is submitted twice gives the browser two proofs, of which it keeps one. */
const PROOFS_MAX = 20;

/** Creates a one-time code. The oldest one beyond the limit is no longer valid. */
export async function createLoginCode(tx: Tx): Promise<{ code: string; expiresAt: string }> {
  const characters = Array.from({ length: CODE_CHARS }, () => CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length))).join('');
  const expiresAt = await storeCode(tx, { id: hash('sha256', characters), requestId: null });
  return { code: `${characters.slice(0, CODE_CHARS / 2)}-${characters.slice(CODE_CHARS / 2)}`, expiresAt };
}

/** Stores a code and returns when it expires. */
export async function storeCode(tx: Tx, code: Omit<LoginCodeRecord, 'order' | 'expiresAt'>): Promise<string> {
  await purgeConsents(tx, tx.now, CODES_MAX);
  const { ids } = await tx.loginCodes.listIdsAfter({ orderBy: 'order', limit: CODES_MAX });
  if (ids.length >= CODES_MAX) await tx.loginCodes.remove(ids[0] ?? '');
  const expiresAt = new Date(tx.now.getTime() + CONSENT_LIFETIME_MS).toISOString();
  await tx.loginCodes.put({ ...code, order: tx.newId(), expiresAt });
  return expiresAt;
}

/** Exchanges a login code for a proof, to be kept in a cookie. Undefined if the code is wrong, expired or bound to another request. */
export async function redeemLoginCode(tx: Tx, code: string, requestId: string): Promise<string | undefined> {
  const known = await tx.loginCodes.get(hash('sha256', code.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '')));
  const request = await tx.pendingConsents.get(requestId);
  if (!known || !request || Date.parse(known.expiresAt) <= tx.now.getTime()) return undefined;
  // The same request may use its code again, because a form can be submitted twice.
  if (known.requestId !== null && known.requestId !== requestId) return undefined;
  await tx.loginCodes.put({ ...known, requestId });
  const proof = randomBytes(PROOF_BYTES).toString('base64url');
  const expiresAt = new Date(tx.now.getTime() + CONSENT_LIFETIME_MS).toISOString();
  const proofs = [...request.proofs, { hash: hash('sha256', proof), expiresAt }].slice(-PROOFS_MAX);
  await tx.pendingConsents.put({ ...request, proofs });
  return proof;
}

/** Whether the proof is for this request and has not expired. */
export function isProofValid({ proofs }: Pick<PendingConsentRecord, 'proofs'>, proof: string | undefined, now: Date): boolean {
  if (proof === undefined) return false;
  const digest = hash('sha256', proof);
  return proofs.some((known) => known.hash === digest && Date.parse(known.expiresAt) > now.getTime());
}
