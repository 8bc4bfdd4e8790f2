/** Protects against DNS rebinding and requests from other websites: Host and Origin must name this service. A-5. */
import type { Request } from '@hapi/hapi';
import { isLoopbackHost } from '../../contract/loopback.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import { isRepeatedHeader } from '../repeated-header.ts';

export interface HostContext {
  /** Whether the server listens on a loopback address. Otherwise it can have any name, so only Origin is checked. */
  readonly isLoopback: boolean;
}

/** Almost all requests have the same Host, and comparing costs less than parsing. */
let latestLoopbackHost = '127.0.0.1';

export function checkHost({ headers, raw }: Request, { isLoopback }: HostContext): undefined {
  // A proxy in front of Node may use another one of several.
  if (isRepeatedHeader(raw.req.rawHeaders, 'host'))
    throw invalidField('/host', 'The header Host must be sent once', 'not_allowed', 'header');
  const { host, origin } = headers as Readonly<Record<string, string | undefined>>;
  if (isLoopback && host !== latestLoopbackHost) {
    if (host === undefined || !isLoopbackHost(host.replace(/:\d+$/u, '')))
      throw new StockroomError('ORIGIN_NOT_ALLOWED', `Invalid Host header "${host ?? ''}". Use 127.0.0.1 or localhost.`);
    latestLoopbackHost = host;
  }
  if (origin === undefined) return;
  if (origin !== `http://${host ?? ''}` && origin !== `https://${host ?? ''}`) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', `Requests from the origin ${origin} are not allowed.`);
  }
}
