/**
 * Applications that register themselves, as MCP clients do. RFC 7591.
 * They are public and pending, and can only ask: the first consent of the owner approves them. Without one they vanish after an hour.
 */
import {
  CLIENT_DOCUMENT_URL_MAX_CHARS,
  NAME_MAX_CHARS,
  REDIRECT_URIS_MAX,
  REDIRECT_URI_MAX_CHARS,
  SELF_REGISTERED_MAX,
  SELF_REGISTRATION_LIFETIME_MIN,
} from '../../contract/limits.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import { type Changes, diffFields } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import type { Actor } from '../kernel/tenant.ts';
import { generateRandomText } from '../tenancy/api-keys.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { CLIENT_ID_CHARS, recordApplicationChange } from './applications.ts';
import { OAuthError } from './errors.ts';
import type { ApplicationRecord } from './records.ts';
import { checkRedirectUri } from './redirect-uris.ts';

/** Client metadata of RFC 7591 §2. Members that are not named here are ignored. */
export type ClientMetadata = Readonly<Record<string, unknown>>;

const LIFETIME_MS = SELF_REGISTRATION_LIFETIME_MIN * 60_000;
const DEFAULT_NAME = 'Unnamed client';
const DOCUMENT_ACTOR: Actor = { type: 'system', id: 'oauth' };
/** What a client may state that is public and uses codes. Refresh tokens are ignored: none are issued. */
const KNOWN_GRANTS: ReadonlySet<unknown> = new Set(['authorization_code', 'refresh_token']);

/** Whether an application registered itself and nobody has allowed it anything yet. */
export const isUnverified = ({ isSelfRegistered, status }: ApplicationRecord): boolean => isSelfRegistered === true && status === 'pending';

/** Whether it was not allowed anything in time. */
export const isAbandoned = (application: ApplicationRecord, now: Date): boolean =>
  isUnverified(application) && Date.parse(application.createdAt) + LIFETIME_MS <= now.getTime();

/** Registers an application. Throws an `OAuthError` for metadata that cannot be used, or if too many applications wait for a consent. */
export async function registerClient(tx: Tx, metadata: ClientMetadata): Promise<ApplicationRecord> {
  const application = createApplication(tx, `app_${generateRandomText(CLIENT_ID_CHARS)}`, metadata);
  await makeRoom(tx);
  await tx.applications.put(application);
  return application;
}

/** Whether a `client_id` names a document: an https URL with a path, as draft-ietf-oauth-client-id-metadata-document §3 requires. */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith('https://') || clientId.length > CLIENT_DOCUMENT_URL_MAX_CHARS || !URL.canParse(clientId)) return false;
  const { href, pathname, username, password } = new URL(clientId);
  return href === clientId && pathname !== '/' && !clientId.includes('#') && username === '' && password === '';
}

export interface DocumentClient {
  readonly application: ApplicationRecord;
  /** What the document changed of a known application, for `recordDocumentChange`. */
  readonly changes: Changes;
}

/** Registers the application that its document describes, or brings it up to date. Its status stays. Throws an `OAuthError` as `registerClient`. */
export async function registerDocumentClient(tx: Tx, url: string, metadata: ClientMetadata): Promise<DocumentClient> {
  if (typeof metadata !== 'object' || metadata === null || metadata['client_id'] !== url)
    throw new OAuthError('invalid_request', `The document of the client does not have its URL as client_id: ${url}`);
  const found = createApplication(tx, url, metadata);
  const stored = await tx.applications.findUnique('clientId', url);
  const before = stored && isAbandoned(stored, tx.now) ? undefined : stored;
  if (!before) await makeRoom(tx);
  const { name, redirectUris, allowedScopes } = found;
  const after = before ? { ...before, name, redirectUris, allowedScopes } : found;
  const changes = before ? diffFields(before, after, ['name', 'redirectUris', 'allowedScopes']) : {};
  if (before && Object.keys(changes).length === 0) return { application: before, changes };
  const application = before ? { ...after, updatedAt: getNextTimestamp(tx.now, before.updatedAt) } : found;
  await tx.applications.put(application);
  return { application, changes };
}

/** Records what a document has changed in the audit trail of a tenant that the application is connected to. */
export async function recordDocumentChange(tx: Tx, tenantId: string, { application, changes }: DocumentClient): Promise<void> {
  const { now, newId } = tx;
  const tenant = await tx.tenants.get(tenantId);
  if (!tenant) return;
  const context: Context = { tenant, actor: DOCUMENT_ACTOR, requestId: newId(), ipAddress: null, now, newId };
  await recordApplicationChange(tx, context, 'application.updated', application, { changes });
}

function createApplication(tx: Tx, clientId: string, metadata: ClientMetadata): ApplicationRecord {
  const at = tx.now.toISOString();
  checkPublic(metadata);
  return {
    id: tx.newId(),
    clientId,
    name: parseName(metadata['client_name']),
    type: 'public',
    redirectUris: parseRedirectUris(metadata['redirect_uris']),
    allowedScopes: parseScope(metadata['scope']),
    grantTypes: ['authorization_code'],
    status: 'pending',
    isSelfRegistered: true,
    secrets: [],
    createdAt: at,
    updatedAt: at,
  };
}

/** Removes applications that nobody has allowed in time. Throws if too many others wait. */
async function makeRoom(tx: Tx): Promise<void> {
  const waiting = await listUnverified(tx);
  const [abandoned, left] = [true, false].map((wanted) => waiting.filter((application) => isAbandoned(application, tx.now) === wanted));
  for (const { id } of abandoned ?? []) await tx.applications.remove(id);
  if ((left ?? []).length >= SELF_REGISTERED_MAX)
    throw new OAuthError('temporarily_unavailable', 'Too many new clients wait for their first consent. Try again in an hour.');
}

/** With the first consent, the owner approves the application. */
export async function approveRegisteredClient(tx: Tx, context: Context, applicationId: string): Promise<void> {
  const before = await tx.applications.get(applicationId);
  if (!before || !isUnverified(before)) return;
  const after: ApplicationRecord = { ...before, status: 'approved', updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await tx.applications.put(after);
  await recordApplicationChange(tx, context, 'application.approved', after);
}

async function listUnverified(tx: ReadTx): Promise<ApplicationRecord[]> {
  const where = [{ field: 'status', equals: 'pending' }];
  return (await tx.applications.listAfter({ where, limit: Number.MAX_SAFE_INTEGER })).rows.filter(isUnverified);
}

const invalidMetadata = (message: string): OAuthError => new OAuthError('invalid_client_metadata', message);

function parseName(name: unknown): string {
  if (name === undefined) return DEFAULT_NAME;
  // It is shown on the consent page, in one line.
  const text = typeof name === 'string' ? name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim() : '';
  if (text === '' || text.length > NAME_MAX_CHARS)
    throw invalidMetadata(`client_name must be a text of at most ${String(NAME_MAX_CHARS)} characters.`);
  return text;
}

function parseRedirectUris(uris: unknown): readonly string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > REDIRECT_URIS_MAX)
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must have 1 to ${String(REDIRECT_URIS_MAX)} URIs.`);
  return uris.map((uri: unknown, at) => {
    if (typeof uri !== 'string' || uri.length > REDIRECT_URI_MAX_CHARS)
      throw new OAuthError('invalid_redirect_uri', `redirect_uris must be texts of at most ${String(REDIRECT_URI_MAX_CHARS)} characters.`);
    try {
      checkRedirectUri(uri, `/redirect_uris/${String(at)}`);
    } catch (error) {
      if (error instanceof StockroomError) throw new OAuthError('invalid_redirect_uri', error.message);
      throw error;
    }
    return uri;
  });
}

/** All scopes by default: the consent decides what of them is granted. Unknown ones count for nothing. */
function parseScope(scope: unknown): readonly Scope[] {
  if (scope === undefined || scope === '') return SCOPES;
  if (typeof scope !== 'string') throw invalidMetadata('scope must be a text of scopes, separated by spaces.');
  const requested = new Set(scope.split(' '));
  const known = SCOPES.filter((each) => requested.has(each));
  if (known.length === 0) throw invalidMetadata(`scope must name at least one of ${SCOPES.join(' ')}.`);
  return known;
}

function checkPublic({ token_endpoint_auth_method: method = 'none', grant_types: grants, response_types: types }: ClientMetadata): void {
  if (method !== 'none') throw invalidMetadata('token_endpoint_auth_method must be none: clients that register themselves have no secret.');
  if (
    grants !== undefined &&
    !(Array.isArray(grants) && grants.includes('authorization_code') && grants.every((grant) => KNOWN_GRANTS.has(grant)))
  )
    throw invalidMetadata('grant_types must be authorization_code.');
  if (types !== undefined && !(Array.isArray(types) && types.length === 1 && types[0] === 'code'))
    throw invalidMetadata('response_types must be code.');
}
