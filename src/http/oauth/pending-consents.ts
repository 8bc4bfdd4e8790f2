/**
 * Authorization requests that wait for a decision, and the login codes and proofs of users who own the daemon.
 *
 * A request is `waiting` until it expires or is claimed, and `busy` while its decision is being stored. Then it holds the decision, or is
 * `waiting` again if storing failed. A login code is bound to the first request that it is entered for.
 * In memory only: after a restart, applications have to start again.
 */
import { hash, randomBytes, randomInt } from 'node:crypto';
import type { ConsentDecision, PendingConsents, PendingConsent, ConsentLookup } from '../../api/consents.ts';
import { CONSENT_LIFETIME_MIN, PENDING_CONSENTS_MAX, PENDING_CONSENTS_PER_APPLICATION_MAX } from '../../contract/limits.ts';

interface Entry {
  readonly request: PendingConsent;
  state: 'waiting' | 'busy' | ConsentDecision;
  /** Whether a login code was redeemed for the request. Such a request never makes room for others. */
  hasLogin: boolean;
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
  const isFinished = (entry: Entry, now: Date): boolean => entry.state !== 'busy' && !isWaiting(entry, now);
  const removeFirst = (candidates: readonly Entry[], canRemove: (entry: Entry) => boolean): boolean => {
    const found = candidates.find(canRemove);
    return found !== undefined && entries.delete(found.request.id);
  };

  /** Any website can lead a browser here, so an application can only displace requests of its own, and none with a login. */
  function makeRoom(applicationId: string, now: Date): boolean {
    const all = [...entries.values()];
    const own = all.filter(({ request }) => request.applicationId === applicationId);
    if (own.length >= PENDING_CONSENTS_PER_APPLICATION_MAX) {
      return (
        removeFirst(own, (entry) => isFinished(entry, now)) || removeFirst(own, ({ state, hasLogin }) => state === 'waiting' && !hasLogin)
      );
    }
    return all.length < PENDING_CONSENTS_MAX || removeFirst(all, (entry) => isFinished(entry, now));
  }

  return {
    open(authorizationRequest, now) {
      removeExpired(now);
      if (!makeRoom(authorizationRequest.applicationId, now)) return undefined;
      const id = `req_${randomBytes(ID_BYTES).toString('hex')}`;
      const request = {
        ...authorizationRequest,
        id,
        createdAt: now.toISOString(),
        expiresAt: new Date(now.getTime() + LIFETIME_MS).toISOString(),
      };
      entries.set(id, { request, state: 'waiting', hasLogin: false });
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
      const entry = entries.get(requestId);
      if (entry) entry.hasLogin = true;
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
