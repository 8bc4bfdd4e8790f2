/**
 * Authorization requests that wait for a decision. A request waits until it expires or is decided, in the commit of the decision; after
 * that it is kept for a while for its page. They are stored, because another daemon may show the page than the one that takes the answer.
 */
import { randomBytes } from 'node:crypto';
import { CONSENT_LIFETIME_MIN, PENDING_CONSENTS_MAX, PENDING_CONSENTS_PER_APPLICATION_MAX } from '../../contract/limits.ts';
import type { ReadTx, Tx } from '../tables.ts';
import type { AuthorizationRequest } from './records.ts';
import type { ConsentDecision, PendingConsentRecord } from './records.ts';

export interface ConsentLookup {
  readonly request: PendingConsentRecord;
  readonly state: 'waiting' | 'expired' | ConsentDecision;
}

export const CONSENT_LIFETIME_MS = CONSENT_LIFETIME_MIN * 60_000;
const RETENTION_MS = 2 * CONSENT_LIFETIME_MS;
const ID_BYTES = 16;
const ID = /^req_[\da-f]{32}$/u;
/** More than there can be. */
const ALL = { orderBy: 'order', limit: 2 * PENDING_CONSENTS_MAX } as const;

const isWaiting = ({ decision, expiresAt }: PendingConsentRecord, now: Date): boolean =>
  decision === null && Date.parse(expiresAt) > now.getTime();

/** Stores a request that waits for a decision. Undefined if too many are waiting. */
export async function openConsent(tx: Tx, request: AuthorizationRequest): Promise<PendingConsentRecord | undefined> {
  const now = tx.now.getTime();
  await purgeConsents(tx, tx.now, PENDING_CONSENTS_MAX);
  if (!(await makeRoom(tx, request.applicationId))) return undefined;
  const record: PendingConsentRecord = {
    ...request,
    id: `req_${randomBytes(ID_BYTES).toString('hex')}`,
    order: tx.newId(),
    createdAt: tx.now.toISOString(),
    expiresAt: new Date(now + CONSENT_LIFETIME_MS).toISOString(),
    forgetAt: new Date(now + RETENTION_MS).toISOString(),
    decision: null,
    proofs: [],
  };
  await tx.pendingConsents.put(record);
  return record;
}

/** Any website can lead a browser here, so an application can only displace requests of its own, and none with a login. */
async function makeRoom(tx: Tx, applicationId: string): Promise<boolean> {
  const { rows } = await tx.pendingConsents.listAfter(ALL);
  const own = rows.filter((row) => row.applicationId === applicationId);
  const isFinished = (row: PendingConsentRecord): boolean => !isWaiting(row, tx.now);
  const isReplaceable = (row: PendingConsentRecord): boolean => row.decision === null && row.proofs.length === 0;
  const displaced =
    own.length >= PENDING_CONSENTS_PER_APPLICATION_MAX ? (own.find(isFinished) ?? own.find(isReplaceable)) : rows.find(isFinished);
  const isFull = rows.length >= PENDING_CONSENTS_MAX || own.length >= PENDING_CONSENTS_PER_APPLICATION_MAX;
  return !isFull || (displaced !== undefined && tx.pendingConsents.remove(displaced.id));
}

/** Waiting requests, oldest first. */
export async function listWaitingConsents(tx: ReadTx, now: Date): Promise<readonly PendingConsentRecord[]> {
  const { rows } = await tx.pendingConsents.listAfter(ALL);
  return rows.filter((row) => isWaiting(row, now));
}

export async function findConsent(tx: ReadTx, id: string, now: Date): Promise<ConsentLookup | undefined> {
  const request = ID.test(id) ? await tx.pendingConsents.get(id) : undefined;
  return request && { request, state: request.decision ?? (isWaiting(request, now) ? 'waiting' : 'expired') };
}

/** Deletes at most `limit` requests and login codes that are no longer needed, or seem to be from the future: the clock was set back. */
export async function purgeConsents(tx: Tx, now: Date, limit: number): Promise<number> {
  const at = now.toISOString();
  const latest = new Date(now.getTime() + RETENTION_MS).toISOString();
  let removed = 0;
  for (const range of [{ to: at }, { after: latest }]) {
    const requests = await tx.pendingConsents.listIdsAfter({ orderBy: 'forget_at', where: [{ field: 'forgetAt', ...range }], limit });
    for (const id of requests.ids) await tx.pendingConsents.remove(id);
    const codes = await tx.loginCodes.listIdsAfter({ orderBy: 'expires_at', where: [{ field: 'expiresAt', ...range }], limit });
    for (const id of codes.ids) await tx.loginCodes.remove(id);
    removed += requests.ids.length + codes.ids.length;
  }
  return removed;
}
