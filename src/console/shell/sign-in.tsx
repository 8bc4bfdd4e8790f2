/** Without a session: exchanges the code in the URL, or says how to get a link. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { parseCode, signIn } from '../api/index.ts';
import { Button, Icon, Labeled, Problem } from '../ui/index.ts';

interface Link {
  readonly hash: string;
  /** Differs between two visits of the same link. */
  readonly at: number;
}

const readLink = (): Link | undefined => (location.hash.startsWith('#code=') ? { hash: location.hash, at: performance.now() } : undefined);

/** The link that opened the page, or was entered into its tab: then the browser changes the hash, and does not load the page again. */
export function useLink(): readonly [link: Link | undefined, end: () => void] {
  const [link, setLink] = useState(readLink);
  useEffect(() => {
    const read = (): void => setLink((before) => readLink() ?? before);
    globalThis.addEventListener('hashchange', read);
    return () => globalThis.removeEventListener('hashchange', read);
  }, []);
  return [link, () => setLink(undefined)];
}

interface SignInProps {
  /** Of a link. */
  readonly hash: string | undefined;
  readonly onSignedIn: () => void;
}

export function SignIn({ hash, onSignedIn }: SignInProps) {
  const [link, setLink] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (text: string) => signIn(parseCode(text)),
    onSuccess: onSignedIn,
  });
  useEffect(() => {
    if (hash === undefined) return;
    // Neither history nor bookmarks keep the code.
    history.replaceState(null, '', location.pathname + location.search);
    mutate(hash);
  }, [mutate, hash]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate(link);
  };
  return (
    <main className="grid min-h-screen place-items-center p-4">
      <div className="card grid w-full max-w-108 gap-3.5 p-7 text-base">
        <p className="bar font-bold [&>svg]:text-brand">
          <Icon name="items" />
          stockroom
        </p>
        <h1>{isPending ? 'Signing in…' : 'Open the console from your terminal'}</h1>
        {!isPending && (
          <>
            <p>On the machine of the service, this command prints a link that signs you in, once:</p>
            <pre className="select-all" tabIndex={0}>
              npx stockroom console
            </pre>
            <Problem error={error} />
            <form className="grid gap-3.5" onSubmit={submit}>
              <Labeled label="Or paste the link here">
                <input value={link} autoComplete="off" spellCheck={false} onChange={(event) => setLink(event.target.value)} />
              </Labeled>
              <Button type="submit" kind="main" disabled={link.trim() === ''}>
                Sign in
              </Button>
            </form>
          </>
        )}
      </div>
    </main>
  );
}
