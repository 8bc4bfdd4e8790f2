/** Protects against DNS rebinding and requests from other websites: Host and Origin must name this service. A-5. */
import type { Request } from '@hapi/hapi';
import { isLoopbackHost } from '../../contract/loopback.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import { getRequestHost } from '../forwarded.ts';
import { isRepeatedHeader } from '../repeated-header.ts';

export interface HostContext {
  /** Whether the server listens on a loopback address. Otherwise it can have any name, so only Origin is checked. */
  readonly isLoopback: boolean;
  /** The origin under which clients reach the service, if it is configured. */
  readonly publicUrl: string | undefined;
}

/** Almost all requests have the same Host, and comparing costs less than parsing. */
let latestLoopbackHost = '127.0.0.1';

export function checkHost(request: Request, { isLoopback, publicUrl }: HostContext): undefined {
  const { headers, raw } = request;
  // A proxy in front of Node may use another one of several.
  if (isRepeatedHeader(raw.req.rawHeaders, 'host'))
    throw invalidField('/host', 'The header Host must be sent once', 'not_allowed', 'header');
  const host = getRequestHost(request);
  if (isLoopback && host !== latestLoopbackHost && !isHostOf(host, publicUrl)) {
    if (host === undefined || !isLoopbackHost(host.replace(/:\d+$/u, ''))) {
      const names = [...(publicUrl === undefined ? [] : [new URL(publicUrl).host]), '127.0.0.1'].join(', ');
      throw new StockroomError('ORIGIN_NOT_ALLOWED', `Invalid Host header "${host ?? ''}". Use ${names} or localhost.`);
    }
    latestLoopbackHost = host;
  }
  const origin = headers['origin'] as string | undefined;
  if (origin === undefined || origin === publicUrl) return;
  if (origin !== `http://${host ?? ''}` && origin !== `https://${host ?? ''}`) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', `Requests from the origin ${origin} are not allowed.`);
  }
}

/** Compares in the form of a URL, in which host names are lower case and have no default port. */
function isHostOf(host: string | undefined, origin: string | undefined): boolean {
  if (host === undefined || origin === undefined) return false;
  if (origin.endsWith(`//${host}`)) return true;
  const url = `${new URL(origin).protocol}//${host}`;
  return URL.canParse(url) && new URL(url).href === `${origin}/`;
}
