/** Protects against DNS rebinding: Host must name this service. A-5. Other origins: cors.ts. */
import { isIP } from 'node:net';
import type { Request } from '@hapi/hapi';
import { isLocalhostName, isLoopbackHost, stripBrackets } from '../../platform/loopback.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import { getRequestHost, isHost } from '../forwarded.ts';
import { isRepeatedHeader } from '../repeated-header.ts';

export interface HostContext {
  /** Whether the server listens on a loopback address. Otherwise its names are not known. */
  readonly isLoopback: boolean;
  /** The origin under which clients reach the service, if it is configured. */
  readonly publicUrl: string | undefined;
}

/** Almost all requests have the same Host, and comparing costs less than parsing. */
let latestLoopbackHost = '127.0.0.1';

export function checkHost(request: Request, { isLoopback, publicUrl }: HostContext): void {
  const { raw } = request;
  // A proxy may pick a different one of several Host headers than Node does.
  if (isRepeatedHeader(raw.req.rawHeaders, 'host'))
    throw invalidField('/host', 'The header Host must be sent once', 'not_allowed', 'header');
  const host = getRequestHost(request);
  if (!isLoopback) checkForeignHost(host, publicUrl);
  if (isLoopback && host !== latestLoopbackHost && !isHostOf(host, publicUrl)) {
    if (host === undefined || !isLoopbackHost(host.replace(/:\d+$/u, ''))) {
      const names = [...(publicUrl === undefined ? [] : [new URL(publicUrl).host]), '127.0.0.1'].join(', ');
      throw new StockroomError('ORIGIN_NOT_ALLOWED', `Invalid Host header "${host ?? ''}". Use ${names} or localhost.`);
    }
    latestLoopbackHost = host;
  }
}

/**
 * The host becomes part of documents, pages and headers, so it must be a name or an address. Without a public URL, names of the public DNS
 * are rejected: a page could point its own name at this server.
 */
function checkForeignHost(host: string | undefined, publicUrl: string | undefined): void {
  if (host === undefined) return;
  if (!isHost(host))
    throw new StockroomError('ORIGIN_NOT_ALLOWED', 'Invalid Host header. Use a host name or an address, with an optional port.');
  if (publicUrl !== undefined) return;
  const name = stripBrackets(host.replace(/:\d+$/u, ''));
  if (isIP(name) === 0 && name.includes('.') && !isLocalhostName(name))
    throw new StockroomError(
      'ORIGIN_NOT_ALLOWED',
      `Invalid Host header "${host}". Use an address, or start the daemon with --public-url for names with a dot.`,
    );
}

/** Compares in the form of a URL, in which host names are lower case and have no default port. */
function isHostOf(host: string | undefined, origin: string | undefined): boolean {
  if (host === undefined || origin === undefined) return false;
  if (origin.endsWith(`//${host}`)) return true;
  const url = `${new URL(origin).protocol}//${host}`;
  return URL.canParse(url) && new URL(url).href === `${origin}/`;
}
