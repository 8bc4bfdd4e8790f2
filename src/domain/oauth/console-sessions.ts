/**
 * Sessions of the console: API keys that a browser holds in two halves, one in a cookie, one in its page. Cookies are shared between the
 * ports of a machine, so another server there may see the first half; it cannot read the second.
 */
import { hash, randomBytes } from 'node:crypto';
import { CONSOLE_SESSION_H } from '../../contract/limits.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import { recordChange } from '../events/changes.ts';
import type { Context } from '../kernel/context.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { createKey, revokeKey, splitKey } from '../tenancy/api-keys.ts';
import type { ApiKeyRecord } from '../tenancy/records.ts';
import { storeCode } from './login-codes.ts';
import type { LoginCodeRecord } from './records.ts';

const CODE_BYTES = 24;
const NAME = 'Console';
/** More than one browser has. */
const TIER = 'elevated';
const SESSIONS_READ_MAX = 1_000;

export interface ConsoleSession {
  readonly key: ApiKeyRecord;
  readonly cookie: string;
  readonly token: string;
}

/** Creates a one-time code for the console of a tenant. */
export async function createConsoleCode(
  tx: Tx,
  { tenant }: Context,
  scopes: readonly Scope[] = SCOPES,
): Promise<{ code: string; expiresAt: string }> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const expiresAt = await storeCode(tx, {
    id: hash('sha256', code),
    requestId: 'console',
    console: { tenantId: tenant.id, scopes: SCOPES.filter((scope) => scopes.includes(scope)) },
  });
  return { code, expiresAt };
}

type ConsoleCode = LoginCodeRecord & { readonly console: NonNullable<LoginCodeRecord['console']> };

/** The unused code of the console; undefined if it is wrong, used or expired. */
export async function findConsoleCode(tx: ReadTx, code: string, now: Date): Promise<ConsoleCode | undefined> {
  const found = await tx.loginCodes.get(hash('sha256', code));
  return found?.console && Date.parse(found.expiresAt) > now.getTime() ? { ...found, console: found.console } : undefined;
}

/** Exchanges the code for a session in the tenant of the context. */
export async function startConsoleSession(tx: Tx, context: Context, code: ConsoleCode): Promise<ConsoleSession> {
  const { now, newId, tenant } = context;
  await tx.loginCodes.remove(code.id);
  await removeEndedSessions(tx, context);
  const { key, secret } = await createKey(tx, now, newId, {
    tenantId: tenant.id,
    name: NAME,
    scopes: code.console.scopes,
    environment: 'development',
    rateLimitTier: TIER,
    expiresAt: new Date(now.getTime() + CONSOLE_SESSION_H * 3_600_000).toISOString(),
    isConsole: true,
  });
  const { prefix, scopes, expiresAt } = key;
  const metadata = { name: NAME, prefix, scopes, expiresAt };
  await recordChange(tx, context, { action: 'api_key.created', resourceType: 'api_key', resourceId: key.id, metadata });
  const [cookie, token] = splitKey(secret);
  return { key, cookie, token };
}

export const endConsoleSession = (tx: Tx, context: Context, { id }: ApiKeyRecord): Promise<ApiKeyRecord> => revokeKey(tx, context, id);

/** Nobody else removes them. */
async function removeEndedSessions(tx: Tx, { now, tenant }: Context): Promise<void> {
  const where = [
    { field: 'tenantId', equals: tenant.id },
    { field: 'expiresAt', before: now.toISOString() },
  ];
  const { rows } = await tx.apiKeys.listAfter({ where, limit: SESSIONS_READ_MAX });
  for (const key of rows) if (key.isConsole) await tx.apiKeys.remove(key.id);
}
