/** Without a session: exchanges the code in the URL, or says how to get a link. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { parseCode, signIn } from '../api/index.ts';
import { Button, Icon, Problem } from '../ui/index.ts';

export function SignIn() {
  const [link, setLink] = useState('');
  const { mutate, isPending, error } = useMutation({ mutationFn: (text: string) => signIn(parseCode(text)) });
  useEffect(() => {
    const { hash } = location;
    if (!hash.startsWith('#code=')) return;
    // Neither history nor bookmarks keep the code.
    history.replaceState(null, '', location.pathname + location.search);
    mutate(hash);
  }, [mutate]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate(link);
  };
  return (
    <main className="sign-in">
      <div className="card">
        <p className="bar brand">
          <Icon name="items" />
          stockroom
        </p>
        <h1>{isPending ? 'Signing in…' : 'Open the console from your terminal'}</h1>
        {!isPending && (
          <>
            <p>On the machine of the service, this command prints a link that signs you in, once:</p>
            <pre tabIndex={0}>npx stockroom console</pre>
            <Problem error={error} />
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
