/**
 * Applications whose `client_id` is the URL of a document about them (draft-ietf-oauth-client-id-metadata-document). The document is read under
 * the rules of webhook targets, and kept for ten minutes; a known application can still connect when it cannot be read.
 */
import type { ApplicationRecord } from '../../domain/oauth/records.ts';
import { OAuthError } from '../../domain/oauth/errors.ts';
import {
  type ClientMetadata,
  type DocumentClient,
  isDocumentUrl,
  recordDocumentChange,
  registerDocumentClient,
} from '../../domain/oauth/self-registration.ts';
import { listInstallations } from '../../domain/oauth/installations.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import type { RequestServices } from '../request-services.ts';

const KEPT_MS = 600_000;
const KEPT_MAX = 100;

/** Finds the application of a `client_id`; undefined if there is none. */
export type FindClient = (clientId: string) => Promise<ApplicationRecord | undefined>;

export const findStoredClient =
  ({ store }: RequestServices): FindClient =>
  (clientId) =>
    store.read('', (tx) => tx.applications.findUnique('clientId', clientId));

export function findDocumentClient(service: RequestServices): FindClient {
  const findStored = findStoredClient(service);
  const now = () => service.clock.now().getTime();
  /** When each document is read again. */
  const keptUntil = new Map<string, number>();
  return async (clientId) => {
    const stored = await findStored(clientId);
    if (!isDocumentUrl(clientId) || (stored && (keptUntil.get(clientId) ?? 0) > now())) return stored;
    let metadata: ClientMetadata;
    try {
      metadata = (await service.readDocument(clientId)) as ClientMetadata;
    } catch (error) {
      if (stored) return stored;
      throw new OAuthError('invalid_request', `The document of the client ${(error as Error).message}: ${clientId}`);
    }
    const client = await service.store.transact('', (tx) => registerDocumentClient(tx, clientId, metadata));
    if (Object.keys(client.changes).length > 0) await recordInTenants(service.store, client);
    if (keptUntil.size >= KEPT_MAX) keptUntil.clear();
    keptUntil.set(clientId, now() + KEPT_MS);
    return client.application;
  };
}

async function recordInTenants(store: StockroomStore, client: DocumentClient): Promise<void> {
  const installations = await store.read('', (tx) => listInstallations(tx, client.application.id));
  for (const { tenantId, status } of installations)
    if (status === 'active') await store.transact(tenantId, (tx) => recordDocumentChange(tx, tenantId, client));
}
