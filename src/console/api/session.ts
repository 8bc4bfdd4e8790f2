/** The session of this browser: a token in the storage of this origin, next to a cookie that scripts cannot read. */
import { createSavedStore } from './saved-store.ts';

const useSession = createSavedStore<{ readonly token: string | null }>('stockroom-console', { token: null });

/** Null if nobody is signed in. */
export const useToken = (): string | null => useSession(({ token }) => token);
export const getToken = (): string | null => useSession.getState().token;
/** Calls the listener when another session begins or this one ends, in any tab. */
export const onSessionChange = (listener: () => void): void =>
  void useSession.subscribe((now, before) => {
    if (now.token !== before.token) listener();
  });
export const endSession = (): void => void useSession.setState({ token: null });

/** Exchanges the code of a link. Throws an error that says what is wrong. */
export async function signIn(code: string): Promise<void> {
  const response = await fetch('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const body = (await response.json()) as { data?: { token: string }; error?: { message: string } };
  if (!body.data) throw new Error(body.error?.message ?? 'The service did not answer as expected.');
  useSession.setState({ token: body.data.token });
}

export async function signOut(): Promise<void> {
  await fetch('/console/session', { method: 'DELETE', headers: { 'x-console-token': getToken() ?? '' } }).catch(() => undefined);
  endSession();
}

/** The code in a link as it was printed, or in its URL. */
export const parseCode = (text: string): string => /#code=([\w-]+)/u.exec(text)?.[1] ?? text.trim();
