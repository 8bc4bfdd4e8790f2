/** Protects against DNS rebinding and requests from other websites: Host and Origin must name this service. A-5. */
import type { Request } from '@hapi/hapi';
import { isLoopbackHost } from '../../contract/loopback.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';

export interface HostContext {
  /** Whether the server listens on a loopback address. Otherwise it can have any name, so only Origin is checked. */
  readonly isLoopback: boolean;
}

export function checkHost({ headers }: Request, { isLoopback }: HostContext): undefined {
  const { host, origin } = headers as Readonly<Record<string, string | undefined>>;
  if (isLoopback && !isLoopbackHost((host ?? '').replace(/:\d+$/u, ''))) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', `Invalid Host header "${host ?? ''}". Use 127.0.0.1 or localhost.`);
  }
  if (origin === undefined) return;
  if (origin !== `http://${host ?? ''}` && origin !== `https://${host ?? ''}`) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', `Requests from the origin ${origin} are not allowed.`);
  }
}
