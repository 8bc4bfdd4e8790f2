/** Cookies that scripts cannot read, and that browsers send with requests of their own page only. */
import type { Request } from '@hapi/hapi';
import { getBaseUrl } from './base-url.ts';

/** The value of `Set-Cookie`. Zero seconds remove the cookie. */
export function buildCookie(
  request: Request,
  name: string,
  value: string,
  { path, seconds }: { readonly path: string; readonly seconds: number },
): string {
  const secure = getBaseUrl(request).startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=${path}; Max-Age=${String(seconds)}${secure}`;
}

export function readCookie({ headers }: Request, name: string): string | undefined {
  const cookies = (headers['cookie'] as string | undefined)?.split(';').map((cookie) => cookie.trim());
  return cookies?.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}
