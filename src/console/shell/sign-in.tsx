/** Without a session: exchanges the code in the URL, or says how to get a link. */
import { type FormEvent, useEffect, useState } from 'react';
import { parseCode, signIn } from '../api/session.ts';
import { Button, Problem } from '../ui/elements.tsx';
import { Icon } from '../ui/icon.tsx';

/** Strict mode and fast reloads must not use the code twice. */
let exchanged: string | undefined;

export function SignIn() {
  const [isBusy, setBusy] = useState(location.hash.startsWith('#code='));
  const [problem, setProblem] = useState<unknown>();
  const [link, setLink] = useState('');
  const exchange = async (text: string): Promise<void> => {
    setBusy(true);
    // Neither history nor bookmarks keep the code.
    history.replaceState(null, '', location.pathname + location.search);
    await signIn(parseCode(text)).catch(setProblem);
    setBusy(false);
  };
  useEffect(() => {
    const { hash } = location;
    if (!hash.startsWith('#code=') || exchanged === hash) return;
    exchanged = hash;
    void exchange(hash);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void exchange(link);
  };
  return (
    <main className="sign-in">
      <div className="card">
        <p className="brand">
          <Icon name="items" />
          stockroom
        </p>
        <h1>{isBusy ? 'Signing in…' : 'Open the console from your terminal'}</h1>
        {!isBusy && (
          <>
            <p>On the machine of the service, this command prints a link that signs you in, once:</p>
            <pre tabIndex={0}>npx stockroom console</pre>
            <Problem error={problem} />
            <form className="form" onSubmit={submit}>
              <label className="field">
                <span>Or paste the link here</span>
                <input value={link} autoComplete="off" spellCheck={false} onChange={(event) => setLink(event.target.value)} />
              </label>
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
