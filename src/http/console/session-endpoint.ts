/** `/console/session`: exchanges the code of a one-time link for a session, and ends it. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { Context } from '../../domain/kernel/context.ts';
import type { Tx } from '../../domain/tables.ts';
import { endConsoleSession, findConsoleCode, startConsoleSession } from '../../domain/oauth/console-sessions.ts';
import { CONSOLE_SESSION_H } from '../../contract/limits.ts';
import { t } from '../../contract/schema/builder.ts';
import { createOrigin } from '../change-origin.ts';
import { buildCookie } from '../cookies.ts';
import type { RequestServices } from '../request-services.ts';
import { authenticateConsole } from '../steps/authenticate.ts';
import { getCookieName } from '../steps/console-session.ts';
import { JSON_TYPE } from '../response/reply.ts';
import { parseJsonBody } from '../steps/json-body.ts';
import { receiveBody } from '../steps/receive-body.ts';
import { validate } from '../steps/validate-request.ts';

const CODE_MAX_CHARS = 100;
const exchange = t.object({ code: t.string({ min: 1, max: CODE_MAX_CHARS }) });

export async function handleStartSession(service: RequestServices, request: Request, h: ResponseToolkit): Promise<ResponseObject> {
  await receiveBody(service, request);
  requireOrigin(request);
  const { code } = validate('body', exchange, parseJsonBody(request)) as { code: string };
  const { store, clock } = service;
  const known = await store.readLatest('', (tx) => findConsoleCode(tx, code, clock.now()));
  if (!known) throw createUnknownCodeError();
  const session = await store.transact(known.console.tenantId, async (tx) => {
    const current = await findConsoleCode(tx, code, tx.now);
    const context = await createContext(tx, request, known.console.tenantId);
    if (!current || !context) throw createUnknownCodeError();
    return startConsoleSession(tx, context, current);
  });
  return h
    .response(JSON.stringify({ data: { token: session.token, expiresAt: session.key.expiresAt } }))
    .code(201)
    .type(JSON_TYPE)
    .header('set-cookie', buildSessionCookie(request, session.cookie, CONSOLE_SESSION_H * 3_600))
    .header('cache-control', 'no-store');
}

export async function handleEndSession(service: RequestServices, request: Request, h: ResponseToolkit): Promise<ResponseObject> {
  requireOrigin(request);
  const { key, tenant } = await authenticateConsole(request, service);
  await service.store.transact(tenant.id, async (tx) => {
    const context = await createContext(tx, request, tenant.id);
    if (context) await endConsoleSession(tx, context, key);
  });
  return h
    .response('')
    .code(204)
    .header('set-cookie', buildSessionCookie(request, '', 0));
}

/** Browsers send it with every POST and DELETE of a page. Those of other origins were rejected. */
function requireOrigin({ headers }: Request): void {
  if (headers['origin'] === undefined) throw new StockroomError('ORIGIN_NOT_ALLOWED', 'The request was not sent by the console.');
}

const createUnknownCodeError = (): StockroomError =>
  new StockroomError('UNAUTHENTICATED', 'This link was used, or has expired. Get another one with `npx stockroom console`.');

async function createContext(tx: Tx, request: Request, tenantId: string): Promise<Context | undefined> {
  const tenant = await tx.tenants.get(tenantId);
  return tenant?.isActive ? { ...createOrigin(request, 'user', 'local'), tenant, now: tx.now, newId: tx.newId } : undefined;
}

const buildSessionCookie = (request: Request, value: string, seconds: number): string =>
  buildCookie(request, getCookieName(request), value, { path: '/', seconds });
