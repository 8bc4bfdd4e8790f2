/**
 * What the console does with the admin API: clock, faults and snapshots of the service, and the records of the tenant that /v1 does not
 * have. Sessions come from the owner-only socket, so their browser may use it, but only on this machine and without a proxy.
 */
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type { AdminServices } from '../../api/admin/handler.ts';
import { CONSOLE_ADMIN_OPERATIONS, type ConsoleAdminOperation } from '../../contract/admin/console.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';
import { authenticateConsole } from '../steps/authenticate.ts';
import { receiveBody } from '../steps/receive-body.ts';
import { runAdminRequest } from '../steps/run-admin-request.ts';
import type { Service } from '../service.ts';

export function addLabRoutes(server: Server, service: Service, services: AdminServices): void {
  for (const allowed of CONSOLE_ADMIN_OPERATIONS)
    server.route({
      method: allowed.operation.method,
      path: `/console${allowed.operation.path}`,
      handler: (request, h) => handleAdmin(service, services, allowed, request, h),
    });
}

async function handleAdmin(
  service: Service,
  services: AdminServices,
  { operation, scopes }: ConsoleAdminOperation,
  request: Request,
  h: ResponseToolkit,
): Promise<ResponseObject | symbol> {
  const { key, tenant } = await authenticateConsole(request, service);
  if (!isLoopbackHost(request.info.remoteAddress))
    throw new StockroomError('ORIGIN_NOT_ALLOWED', 'This part of the console can be used only on the machine of the service.');
  const missing = (scopes === 'all' ? SCOPES : scopes).find((scope) => !key.scopes.includes(scope));
  if (missing !== undefined)
    throw new StockroomError('SCOPE_REQUIRED', `The session lacks the scope ${missing}.`, { details: { requiredScope: missing } });
  await receiveBody(service, request, operation.bodyMaxBytes);
  // A session is of one tenant.
  if (operation.query?.properties['tenant'] !== undefined) (request.query as Record<string, unknown>)['tenant'] = tenant.slug;
  const reply = await runAdminRequest({ service, services }, operation, request, h);
  if (operation.id === 'snapshot.load') await keepSession(service, key);
  return reply;
}

/** The snapshot may be older than the session. */
async function keepSession({ store }: Service, key: ApiKeyRecord): Promise<void> {
  await store.transact(key.tenantId, async (tx) => {
    if ((await tx.tenants.get(key.tenantId)) && !(await tx.apiKeys.get(key.id))) await tx.apiKeys.put(key);
  });
}
