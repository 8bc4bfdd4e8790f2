/** Carries requests for programs: undici keeps connections open and reuses them. The terminal does without, because loading it takes longer than a command. */
import { Agent } from 'undici';
import { hasUserInfo } from './address.ts';
import { type HttpReply, type HttpRequest, SILENCE_MS, unreachable } from './transport.ts';

export interface UndiciTransport {
  send(request: HttpRequest): Promise<HttpReply>;
  /** Ends the connections once the requests under way have been answered; a second call waits for the first. */
  close(): Promise<void>;
}

/** Failures before a byte was sent: the service did nothing. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
]);

/** Throws a TypeError for an address that is not http or https, or names a user. */
export function undiciTransport(url: string): UndiciTransport {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:') throw new TypeError(`${url} is not an http or https address`);
  if (hasUserInfo(url)) throw new TypeError('an address of a service must not hold a user name or password');
  const { origin } = base;
  const prefix = base.pathname.replace(/\/$/u, '');
  // Not over HTTP/2: a request that is given up there leaves a connection on which nothing more is sent.
  const dispatcher = new Agent({ headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS, allowH2: false });
  let closing: Promise<void> | undefined;
  return {
    async send({ method, path, headers, body, signal }) {
      try {
        const answer = await dispatcher.request({
          origin,
          path: prefix + path,
          method,
          headers,
          ...(body !== undefined && { body }),
          ...(signal && { signal }),
        });
        return { status: answer.statusCode, headers: plain(answer.headers), text: await answer.body.text() };
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const cause = error as NodeJS.ErrnoException;
        // Such as a key with the line break of the file that it was read from. The message names the header and not its value.
        if (cause.code === 'UND_ERR_INVALID_ARG') throw new TypeError(`the request cannot be sent: ${cause.message}`, { cause: error });
        throw unreachable(url, cause, !NOT_SENT.has(cause.code ?? ''));
      }
    },
    close: () => (closing ??= dispatcher.close()),
  };
}

/** Headers that came several times, joined. Hardly ever: so what came is used as it is. */
function plain(headers: Record<string, string | string[] | undefined>): HttpReply['headers'] {
  for (const [name, value] of Object.entries(headers)) if (Array.isArray(value)) headers[name] = value.join(', ');
  return headers as HttpReply['headers'];
}
