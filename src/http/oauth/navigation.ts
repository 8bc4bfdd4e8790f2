/** Distinguishes requests of a browser tab from those that a website makes in the background. Fetch Metadata Request Headers (W3C). */
import type { Request } from '@hapi/hapi';

/**
 * Whether a browser shows the response in a tab. True for clients that do not send the headers: older browsers, programs, and browsers
 * that use plain HTTP beyond this machine.
 */
export function isTopLevelNavigation(request: Request): boolean {
  const headers = request.headers as Readonly<Record<string, string | undefined>>;
  const [site, mode, destination] = ['site', 'mode', 'dest'].map((name) => headers[`sec-fetch-${name}`]);
  // `fetch` of Node.js sends the mode and nothing else; browsers send all three.
  const isProgram = site === undefined && destination === undefined && mode === 'cors';
  if (isProgram) return true;
  const isPrefetch = headers['sec-purpose']?.startsWith('prefetch') ?? false;
  return (mode ?? 'navigate') === 'navigate' && (destination ?? 'document') === 'document' && !isPrefetch;
}
