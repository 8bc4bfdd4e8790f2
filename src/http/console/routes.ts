/** The routes of the console: its page, which has its own paths below, its files, its session, and the Lab. */
import type { Server } from '@hapi/hapi';
import { createAdminServices } from '../admin-routes.ts';
import type { Service } from '../service.ts';
import { sendAsset, sendPage } from './files.ts';
import { addLabRoutes } from './lab.ts';
import { handleEndSession, handleStartSession } from './session-endpoint.ts';

interface ConsoleOptions {
  /** Whether only this machine can reach the service. */
  readonly hasLab: boolean;
  /** That of the daemon, which has results of torture. */
  readonly dataDir: string | null;
}

export function addConsoleRoutes(server: Server, service: Service, { hasLab, dataDir }: ConsoleOptions): void {
  server.route([
    { method: 'GET', path: '/console', handler: sendPage },
    { method: 'GET', path: '/console/{path*}', handler: sendPage },
    { method: 'GET', path: '/console/assets/{file}', handler: sendAsset },
    { method: 'POST', path: '/console/session', handler: (request, h) => handleStartSession(service, request, h) },
    { method: 'DELETE', path: '/console/session', handler: (request, h) => handleEndSession(service, request, h) },
  ]);
  if (hasLab) addLabRoutes(server, service, createAdminServices(service, { dataDir }));
}
