/** A server over TLS that offers HTTP/2, for an address of this machine whose certificate this process trusts meanwhile. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type Http2ServerRequest, type Http2ServerResponse, createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';

/** The address, without a slash at its end. Ends with the test. */
export async function http2Server(answer: (request: Http2ServerRequest, response: Http2ServerResponse) => void): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-tls-'));
  const path = (name: string) => join(directory, name);
  const named = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', path('key'), '-out', path('cert'), ...named], {
    stdio: 'pipe',
  });
  const [key, cert] = [await readFile(path('key')), await readFile(path('cert'))];
  await rm(directory, { recursive: true });
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, cert.toString()]);
  const server = createSecureServer({ key, cert, allowHTTP1: true }, answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    setDefaultCACertificates(trusted);
    server.close();
  });
  await once(server, 'listening');
  return `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}
