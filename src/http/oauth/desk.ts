/**
 * The consent desk: requests that wait for an answer, and proofs that the owner of the daemon sits in front of a page.
 *
 * A request is `waiting` until it expires or somebody takes it; `busy` while the answer is being stored; then it carries the answer, or
 * waits again when storing failed. A login code belongs to the first request it is typed for, and proves nothing for any other.
 * In memory: a restart drops all of it, and applications start again.
 */
import { hash, randomBytes, randomInt } from 'node:crypto';
import type { ConsentAnswer, ConsentDesk, ConsentRequest, FoundConsent } from '../../api/consents.ts';
import { CONSENTS_WAITING_MAX, CONSENT_MIN } from '../../contract/limits.ts';

interface Entry {
  readonly request: ConsentRequest;
  state: 'waiting' | 'busy' | ConsentAnswer;
}

/** The desk as the pages use it. */
export interface PageDesk extends ConsentDesk {
  /** A proof for the page of a request, to be kept in a cookie; undefined when the code is wrong, expired, or belongs to another request. */
  login(code: string, requestId: string, now: Date): string | undefined;
  /** Whether this proof is good for this request. */
  isProven(proof: string | undefined, requestId: string, now: Date): boolean;
}

const LIFE_MS = CONSENT_MIN * 60_000;
const ID_BYTES = 16;
const PROOF_BYTES = 32;
/** Letters and digits that nobody mixes up. */
const TYPED = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const CODE_CHARS = 8;
const CODES_MAX = 20;

export function consentDesk(): PageDesk {
  const entries = new Map<string, Entry>();
  const codes = new Map<string, { expiresAt: number; requestId: string | undefined }>();
  const proofs = new Map<string, { expiresAt: number; requestId: string }>();

  function drop(now: Date): void {
    // A little longer than it waits, so that its page can say what happened.
    for (const [id, { request }] of entries) if (Date.parse(request.expiresAt) + LIFE_MS <= now.getTime()) entries.delete(id);
    for (const map of [codes, proofs]) for (const [id, { expiresAt }] of map) if (expiresAt <= now.getTime()) map.delete(id);
  }
  const isExpired = ({ request }: Entry, now: Date): boolean => Date.parse(request.expiresAt) <= now.getTime();
  const open = (entry: Entry | undefined, now: Date): entry is Entry => entry?.state === 'waiting' && !isExpired(entry, now);

  return {
    open(facts, now) {
      drop(now);
      const [oldest] = entries.keys();
      if (entries.size >= CONSENTS_WAITING_MAX && oldest !== undefined) entries.delete(oldest);
      const id = `req_${randomBytes(ID_BYTES).toString('hex')}`;
      const request = { ...facts, id, createdAt: now.toISOString(), expiresAt: new Date(now.getTime() + LIFE_MS).toISOString() };
      entries.set(id, { request, state: 'waiting' });
      return request;
    },
    waiting: (now) => [...entries.values()].filter((entry) => open(entry, now)).map(({ request }) => request),
    find(id, now): FoundConsent | undefined {
      const entry = entries.get(id);
      if (!entry) return undefined;
      return { request: entry.request, state: entry.state === 'waiting' && isExpired(entry, now) ? 'expired' : entry.state };
    },
    take(id, now) {
      const entry = entries.get(id);
      if (!open(entry, now)) return undefined;
      entry.state = 'busy';
      return entry.request;
    },
    settle(id, answer) {
      const entry = entries.get(id);
      if (entry) entry.state = answer ?? 'waiting';
    },
    loginCode(now) {
      drop(now);
      const [oldest] = codes.keys();
      if (codes.size >= CODES_MAX && oldest !== undefined) codes.delete(oldest);
      const letters = Array.from({ length: CODE_CHARS }, () => TYPED.charAt(randomInt(TYPED.length))).join('');
      const expiresAt = now.getTime() + LIFE_MS;
      codes.set(hash('sha256', letters), { expiresAt, requestId: undefined });
      return { code: `${letters.slice(0, CODE_CHARS / 2)}-${letters.slice(CODE_CHARS / 2)}`, expiresAt: new Date(expiresAt).toISOString() };
    },
    login(code, requestId, now) {
      drop(now);
      const known = codes.get(hash('sha256', code.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '')));
      // A form that is sent twice brings the same code twice.
      if (!known || (known.requestId !== undefined && known.requestId !== requestId)) return undefined;
      known.requestId = requestId;
      const proof = randomBytes(PROOF_BYTES).toString('base64url');
      proofs.set(hash('sha256', proof), { expiresAt: now.getTime() + LIFE_MS, requestId });
      return proof;
    },
    isProven(proof, requestId, now) {
      const known = proof === undefined ? undefined : proofs.get(hash('sha256', proof));
      return known !== undefined && known.requestId === requestId && known.expiresAt > now.getTime();
    },
  };
}
