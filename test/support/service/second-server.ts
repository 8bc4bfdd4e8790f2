/** A second API server over the store of a service, with its own memory: what another daemon of the same database is. */
import type { Server } from '@hapi/hapi';
import { onTestFinished } from 'vitest';
import { createOAuthLimits } from '../../../src/http/oauth/limits.ts';
import { createApiServer } from '../../../src/http/server.ts';
import type { Service } from '../../../src/http/service.ts';
import { createUsageMeter } from '../../../src/http/requests/usage-meter.ts';

/** Stopped when the test has ended. */
export async function startSecondServer(service: Service, more: Partial<Service> = {}): Promise<Server> {
  const memory = { usage: createUsageMeter(), activeIdempotencyKeys: new Set<string>(), oauthLimits: createOAuthLimits() };
  const server = createApiServer({ ...service, ...memory, ...more }, { host: '127.0.0.1', port: 0 });
  await server.start();
  onTestFinished(() => server.stop({ timeout: 1_000 }));
  return server;
}
