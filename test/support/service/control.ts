/** The control port of a real service. */
import type { Server } from '@hapi/hapi';
import { request } from 'undici';
import { createControlServer } from '../../../src/http/control-server.ts';
import { type Reply, type ServiceTestOptions, type TestService, startService } from './service.ts';

export interface TestControl extends AsyncDisposable {
  /** The public side of the same service. */
  readonly s: TestService;
  readonly url: string;
  readonly token: string;
  readonly server: Server;
  /** With the token, unless `headers` has another `authorization`; an empty one sends none. */
  call(method: string, path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Reply>;
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown): Promise<Reply>;
}

/** A service with an open control port; both end with the test. */
export async function startControl(options?: ServiceTestOptions): Promise<TestControl> {
  const s = await startService(options);
  const token = 'control-token-of-a-test';
  const server = createControlServer(s.service, { host: '127.0.0.1', port: 0, token });
  await server.start();
  const url = server.info.uri;
  const call: TestControl['call'] = async (method, path, { body, headers = {} } = {}) => {
    const { authorization = `Bearer ${token}`, ...rest } = headers;
    const response = await request(`${url}${path}`, {
      method: method as 'GET',
      headers: {
        ...(authorization === '' ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...rest,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  return {
    s,
    url,
    token,
    server,
    call,
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, { body }),
    async [Symbol.asyncDispose]() {
      await server.stop({ timeout: 1_000 });
      await s[Symbol.asyncDispose]();
    },
  };
}
