/**
 * Authorization requests that wait for a decision, and the login codes and proofs of users who own the daemon.
 *
 * A request is `waiting` until it expires or is claimed, and `busy` while its decision is being stored. Then it holds the decision, or is
 * `waiting` again if storing failed. A login code is bound to the first request that it is entered for.
 * In memory only: after a restart, applications have to start again.
 */
import { hash, randomBytes, randomInt } from 'node:crypto';
import type { ConsentDecision, PendingConsents, PendingConsent, ConsentLookup } from '../../api/consents.ts';
import { PENDING_CONSENTS_MAX, CONSENT_LIFETIME_MIN } from '../../contract/limits.ts';

interface Entry {
  readonly request: PendingConsent;
  state: 'waiting' | 'busy' | ConsentDecision;
}

/** Pending consents with the login of the consent page. */
export interface ConsentStore extends PendingConsents {
  /** Exchanges a login code for a proof, to be kept in a cookie. Undefined if the code is wrong, expired or bound to another request. */
  redeemLoginCode(code: string, requestId: string, now: Date): string | undefined;
  /** Whether the proof is for this request and has not expired. */
  isProofValid(proof: string | undefined, requestId: string, now: Date): boolean;
}

const LIFETIME_MS = CONSENT_LIFETIME_MIN * 60_000;
const ID_BYTES = 16;
const PROOF_BYTES = 32;
/** Without characters that look alike. */
const CODE_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const CODE_CHARS = 8;
const CODES_MAX = 20;

export function createConsentStore(): ConsentStore {
  const entries = new Map<string, Entry>();
  const codes = new Map<string, { expiresAt: number; requestId: string | undefined }>();
  const proofs = new Map<string, { expiresAt: number; requestId: string }>();

  function removeExpired(now: Date): void {
    // Kept for a while after they expire, so that their page can say so.
    for (const [id, { request }] of entries) if (Date.parse(request.expiresAt) + LIFETIME_MS <= now.getTime()) entries.delete(id);
    for (const map of [codes, proofs]) for (const [id, { expiresAt }] of map) if (expiresAt <= now.getTime()) map.delete(id);
  }
  const isExpired = ({ request }: Entry, now: Date): boolean => Date.parse(request.expiresAt) <= now.getTime();
  const isWaiting = (entry: Entry | undefined, now: Date): entry is Entry => entry?.state === 'waiting' && !isExpired(entry, now);

  return {
    open(authorizationRequest, now) {
      removeExpired(now);
      const [oldest] = entries.keys();
      if (entries.size >= PENDING_CONSENTS_MAX && oldest !== undefined) entries.delete(oldest);
      const id = `req_${randomBytes(ID_BYTES).toString('hex')}`;
      const request = {
        ...authorizationRequest,
        id,
        createdAt: now.toISOString(),
        expiresAt: new Date(now.getTime() + LIFETIME_MS).toISOString(),
      };
      entries.set(id, { request, state: 'waiting' });
      return request;
    },
    listWaiting: (now) => [...entries.values()].filter((entry) => isWaiting(entry, now)).map(({ request }) => request),
    find(id, now): ConsentLookup | undefined {
      const entry = entries.get(id);
      if (!entry) return undefined;
      return { request: entry.request, state: entry.state === 'waiting' && isExpired(entry, now) ? 'expired' : entry.state };
    },
    claim(id, now) {
      const entry = entries.get(id);
      if (!isWaiting(entry, now)) return undefined;
      entry.state = 'busy';
      return entry.request;
    },
    finish(id, decision) {
      const entry = entries.get(id);
      if (entry) entry.state = decision ?? 'waiting';
    },
    createLoginCode(now) {
      removeExpired(now);
      const [oldest] = codes.keys();
      if (codes.size >= CODES_MAX && oldest !== undefined) codes.delete(oldest);
      const characters = Array.from({ length: CODE_CHARS }, () => CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length))).join('');
      const expiresAt = now.getTime() + LIFETIME_MS;
      codes.set(hash('sha256', characters), { expiresAt, requestId: undefined });
      return {
        code: `${characters.slice(0, CODE_CHARS / 2)}-${characters.slice(CODE_CHARS / 2)}`,
        expiresAt: new Date(expiresAt).toISOString(),
      };
    },
    redeemLoginCode(code, requestId, now) {
      removeExpired(now);
      const known = codes.get(hash('sha256', code.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '')));
      // The same request may use its code again, because a form can be submitted twice.
      if (!known || (known.requestId !== undefined && known.requestId !== requestId)) return undefined;
      known.requestId = requestId;
      const proof = randomBytes(PROOF_BYTES).toString('base64url');
      proofs.set(hash('sha256', proof), { expiresAt: now.getTime() + LIFETIME_MS, requestId });
      return proof;
    },
    isProofValid(proof, requestId, now) {
      const known = proof === undefined ? undefined : proofs.get(hash('sha256', proof));
      return known !== undefined && known.requestId === requestId && known.expiresAt > now.getTime();
    },
  };
}
