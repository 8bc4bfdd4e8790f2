/** The session of this browser: a token in the storage of this origin, next to a cookie that scripts cannot read. */
import { createSavedStore } from './store.ts';

interface Session {
  readonly token: string;
  readonly expiresAt: string;
}

const session = createSavedStore('stockroom-console', (saved) => saved as Session | null);

export const getToken = (): string | undefined => session.get()?.token;
export const endSession = (): void => session.set(null);
/** Null if nobody is signed in. */
export const useSession = session.use;

/** Exchanges the code of a link. Throws an error that says what is wrong. */
export async function signIn(code: string): Promise<void> {
  const response = await fetch('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const body = (await response.json()) as { data?: Session; error?: { message: string } };
  if (!body.data) throw new Error(body.error?.message ?? 'The service did not answer as expected.');
  session.set(body.data);
}

export async function signOut(): Promise<void> {
  await fetch('/console/session', { method: 'DELETE', headers: { 'x-console-token': getToken() ?? '' } }).catch(() => undefined);
  endSession();
}

/** The code in a link as it was printed, or in its URL. */
export const parseCode = (text: string): string => /#code=([\w-]+)/u.exec(text)?.[1] ?? text.trim();
