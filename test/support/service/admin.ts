/** The admin API of a real service, over its real socket. */
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { type AdminOptions, createAdminServer } from '../../../src/http/admin-server.ts';
import { type Reply, type ServiceTestOptions, type TestService, startService } from './service.ts';

export interface TestAdmin extends AsyncDisposable {
  /** The public side of the same service. */
  readonly s: TestService;
  readonly socketPath: string;
  call(method: string, path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Reply>;
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown): Promise<Reply>;
  patch(path: string, body: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  /** The audit rows of a tenant, oldest first. */
  audit(
    tenantId?: string,
  ): Promise<{ action: string; resourceId: string; metadata: Record<string, unknown>; actorType: string; actorId: string }[]>;
}

/** A service with an open admin socket; both end with the test. */
export async function startAdmin(
  options: Partial<AdminOptions> & { tiers?: Record<string, number>; service?: ServiceTestOptions } = {},
): Promise<TestAdmin> {
  const { tiers, service, ...rest } = options;
  const s = await startService({ ...service, ...(tiers ? { tiers } : {}) });
  const socketPath = rest.socketPath ?? join(s.directory, 'admin.sock');
  const server = createAdminServer(s.service, { ...rest, socketPath });
  await server.start();
  const agent = new Agent({ connect: { socketPath } });
  const call: TestAdmin['call'] = async (method, path, { body, headers = {} } = {}) => {
    const response = await request(`http://admin${path}`, {
      method: method as 'GET',
      dispatcher: agent,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  return {
    s,
    socketPath,
    call,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body === undefined ? {} : { body }),
    patch: (path, body) => call('PATCH', path, { body }),
    delete: (path) => call('DELETE', path),
    async audit(tenantId = s.tenant.id) {
      return (await s.service.store.read(tenantId, (tx) => tx.auditEvents.listAfter({ limit: 10_000 }))).rows;
    },
    async [Symbol.asyncDispose]() {
      await agent.close();
      await server.stop({ timeout: 1_000 });
      await s[Symbol.asyncDispose]();
    },
  };
}
