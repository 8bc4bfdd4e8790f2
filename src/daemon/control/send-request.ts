/** Requests of commands to a daemon. node:http is loaded on use: a static import would add 30 ms to the start of every command. */
import type { RequestOptions } from 'node:http';

const BODY_MAX_CHARS = 10_000;

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
}

/** Returns the reply; undefined when there is none in time. */
export function sendRequest(target: RequestOptions, timeoutMs: number, body = ''): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const fail = () => resolve(undefined);
    const { request } = process.getBuiltinModule('node:http');
    const outgoing = request({ ...target, agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > BODY_MAX_CHARS) outgoing.destroy();
      });
      response.on('error', fail);
      response.on('close', fail);
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}
