/** The base URL of the service: the issuer of OAuth, and the start of every absolute URL in documents, pages and headers. */
import type { Request } from '@hapi/hapi';
import { getRequestHost } from './forwarded.ts';

declare module '@hapi/hapi' {
  interface ServerOptionsApp {
    /** The origin under which clients reach the service, if it is configured. */
    publicUrl?: string | undefined;
    /** Whether it accepts sessions of the console. */
    hasConsole?: boolean;
  }
}

/** The configured public URL, else the address that the client used, which `checkHost` has checked. Without trailing slash. */
export function getBaseUrl(request: Request): string {
  const { publicUrl } = request.server.settings.app ?? {};
  return publicUrl ?? `${request.app.forwarded?.protocol ?? 'http'}://${getRequestHost(request) ?? ''}`;
}
