/** The session of this browser: a token in the storage of this origin, next to a cookie that scripts cannot read. */
import { createStore } from './store.ts';

const NAME = 'stockroom-console';

interface Session {
  readonly token: string;
  readonly expiresAt: string;
}

const session = createStore(read());

function read(): Session | undefined {
  try {
    const saved = JSON.parse(localStorage.getItem(NAME) ?? 'null') as Session | null;
    return saved ?? undefined;
  } catch {
    return undefined;
  }
}

function write(next: Session | undefined): void {
  if (next === undefined) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, JSON.stringify(next));
  session.set(next);
}

// Another tab has signed in or out.
globalThis.addEventListener('storage', (event) => {
  if (event.key === NAME) session.set(read());
});

export const getToken = (): string | undefined => session.get()?.token;
export const endSession = (): void => write(undefined);

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
  write(body.data);
}

export async function signOut(): Promise<void> {
  await fetch('/console/session', { method: 'DELETE', headers: { 'x-console-token': getToken() ?? '' } }).catch(() => undefined);
  endSession();
}

/** The code in a link as it was printed, or in its URL. */
export function parseCode(text: string): string {
  return /#code=([\w-]+)/u.exec(text)?.[1] ?? text.trim();
}
