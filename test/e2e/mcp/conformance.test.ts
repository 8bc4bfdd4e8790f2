/** The official MCP conformance suite against the built daemon. It cannot send a key, so a proxy on this machine adds it. */
import { once } from 'node:events';
import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API_KEY } from '../../../src/contract/headers.ts';
import { MCP_PATH } from '../../../src/contract/mcp-tools.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

/** Of both protocol eras; all other scenarios test fixtures: prompts, resources, sampling, tools of the suite's own. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'caching',
  'http-header-validation',
  'dns-rebinding-protection',
  'server-stateless',
] as const;
/** The suite gives a stream one second for what has to come; a busy machine may need more, so its timers are stretched. */
const PATIENTLY = `--import=data:text/javascript,${encodeURIComponent(
  'const { setTimeout: timer } = globalThis; globalThis.setTimeout = (work, ms, ...rest) => timer(work, 20 * ms, ...rest);',
)}`;
const BASELINE = fileURLToPath(new URL('../../support/mcp/conformance-baseline.yml', import.meta.url));

let shop: Shop;
let proxy: Server;
beforeAll(async () => {
  shop = await openShop();
  proxy = await addingKey(shop.daemon.url ?? '', shop.key);
});
afterAll(async () => {
  proxy.close();
  await shop[Symbol.asyncDispose]();
});

async function addingKey(target: string, key: string): Promise<Server> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const onward = request({ hostname, port, method, path: url, headers: { ...headers, [API_KEY]: key } }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test.for(SCENARIOS)('%s', async (scenario) => {
  const url = `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}${MCP_PATH}`;
  const args = ['server', '--url', url, '--scenario', scenario, '--expected-failures', BASELINE];
  const { exitCode, stdout, stderr } = await execa('conformance', args, {
    preferLocal: true,
    reject: false,
    cwd: shop.home.directory,
    env: { NODE_OPTIONS: PATIENTLY },
  });
  expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
});
