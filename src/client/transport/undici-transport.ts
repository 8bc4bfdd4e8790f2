/** Sends requests of programs with undici, which reuses connections. Commands do not use it, because loading it takes longer than a command. */
import { Agent } from 'undici';
import { type HttpReply, type HttpRequest, IDLE_TIMEOUT_MS, createTooLargeError, hasUserInfo, toUnreachable } from './transport.ts';

/** Errors before the request was sent. */
const NOT_SENT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
]);

/** Throws a TypeError for a URL that is not http or https, or contains a user name. */
export function createUndiciTransport(url: string, maxBytes: number) {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:') throw new TypeError(`${url} is not an http or https URL`);
  if (hasUserInfo(url)) throw new TypeError('The URL of a service must not contain a user name or password');
  const { origin } = base;
  const prefix = base.pathname.replace(/\/$/u, '');
  // Not HTTP/2: there an aborted request leaves a connection that undici does not use any more.
  const dispatcher = new Agent({
    headersTimeout: IDLE_TIMEOUT_MS,
    bodyTimeout: IDLE_TIMEOUT_MS,
    maxResponseSize: maxBytes,
    allowH2: false,
  });
  let closed: Promise<void> | undefined;
  return {
    async send({ method, path, headers, body, signal }: HttpRequest): Promise<HttpReply> {
      try {
        const response = await dispatcher.request({
          origin,
          path: prefix + path,
          method,
          headers,
          ...(body !== undefined && { body }),
          ...(signal && { signal }),
        });
        return { status: response.statusCode, headers: joinRepeatedHeaders(response.headers), text: await response.body.text() };
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const cause = error as NodeJS.ErrnoException;
        // For example a key that ends with a line break. The message contains the name of the header, not its value.
        if (cause.code === 'UND_ERR_INVALID_ARG') throw new TypeError(`Cannot send the request: ${cause.message}`, { cause: error });
        if (cause.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') throw createTooLargeError(url, maxBytes);
        throw toUnreachable(url, cause, !NOT_SENT_CODES.has(cause.code ?? ''));
      }
    },
    /** Closes the connections after pending requests have finished; a second call waits for the first. */
    close: () => (closed ??= dispatcher.close()),
  };
}

/** Joins repeated headers. Changes the object in place, because hardly any response has them. */
function joinRepeatedHeaders(headers: Record<string, string | string[] | undefined>): HttpReply['headers'] {
  for (const [name, value] of Object.entries(headers)) if (Array.isArray(value)) headers[name] = value.join(', ');
  return headers as HttpReply['headers'];
}
