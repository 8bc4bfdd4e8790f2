/** A port for a server that has to know it before it starts. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Free at the moment: another process may take it before the server does. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
