/** `GET /metrics` on a listener of its own, for a Prometheus server. Plain HTTP without authentication: the figures name no tenant. */
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost } from '../../platform/loopback.ts';
import type { Service } from '../service.ts';
import { createMetricsCollector } from './collect.ts';
import { METRICS_TYPE } from './exposition.ts';
import { METRICS_PATH } from '../../contract/admin/daemon.ts';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Rejects with the error of `listen` if the port cannot be used. */
export async function startMetricsServer(service: Service, { host, port }: { host: string; port: number }): Promise<MetricsServer> {
  const collect = createMetricsCollector(service);
  const isLoopback = isLoopbackHost(host);
  const server = createServer((request, response) => {
    const status = checkRequest(request, isLoopback);
    if (status !== 200) return void response.writeHead(status).end();
    collect().then(
      (text) => send(request, response, text),
      (error: unknown) => {
        service.log.error({ err: error }, 'could not collect the metrics');
        response.writeHead(500).end();
      },
    );
  });
  server.listen({ host, port });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Returns the status of the response. On a loopback address, as in `checkHost`, the host must be one, so that no website can read the figures. */
function checkRequest({ method, url, headers: { host = '' } }: IncomingMessage, isLoopback: boolean): number {
  if (isLoopback && !isLoopbackHost(host.replace(/:\d+$/u, ''))) return 403;
  if (url?.split('?', 1)[0] !== METRICS_PATH) return 404;
  return method === 'GET' || method === 'HEAD' ? 200 : 405;
}

function send({ method }: IncomingMessage, response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': METRICS_TYPE, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' });
  response.end(method === 'HEAD' ? undefined : text);
}
