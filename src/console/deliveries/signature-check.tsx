/** Checks the signature of a delivery that a receiver got. Body and secret stay in this page. */
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import {
  WebhookVerificationError,
  checkAge,
  checkSecret,
  createMismatchError,
  listReformatted,
  readSignature,
} from '../../webhook-verifier/delivery.ts';
import { Button, Dialog, Labeled, Problem } from '../ui/index.ts';

/** What a receiver would find. Throws the reason otherwise. */
async function checkSignature(body: string, headers: string, secret: string): Promise<string> {
  const { timestamp, digests } = readSignature(parseHeaders(headers));
  checkSecret(secret);
  const key = await crypto.subtle.importKey('raw', fromHex(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const matches = async (text: string): Promise<boolean> => {
    const signed = new TextEncoder().encode(`${timestamp}.${text}`);
    for (const digest of digests) if (await crypto.subtle.verify('HMAC', key, fromHex(digest), signed)) return true;
    return false;
  };
  if (!(await matches(body))) {
    let isReformatted = false;
    for (const other of listReformatted(body)) isReformatted ||= await matches(other);
    throw createMismatchError(isReformatted);
  }
  try {
    checkAge(timestamp, new Date());
  } catch (error) {
    if (error instanceof WebhookVerificationError) return `The signature matches. Receivers reject it now, because it is ${error.message}.`;
    throw error;
  }
  return 'The signature matches.';
}

const fromHex = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text.match(/../gu) ?? [], (pair) => parseInt(pair, 16));

/** Lines such as `x-service-timestamp: 1774965600`, also as curl prints them. */
const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^[<>\s]*([\w-]+)\s*:\s*(.*?)\s*$/gmu)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  );

export function SignatureCheck({ onClose }: { readonly onClose: () => void }) {
  const { mutate, reset, data, error } = useMutation({
    mutationFn: (form: FormData) => {
      // It has no files.
      const { body = '', headers = '', secret = '' } = Object.fromEntries(form) as Readonly<Record<string, string>>;
      return checkSignature(body, headers, secret.trim());
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog title="Check a signature" size="large" onClose={onClose}>
      <p className="text-soft">For what a receiver got. Nothing of it leaves this page.</p>
      <form className="grid gap-3.5" onInput={reset} onSubmit={submit}>
        <Labeled label="Body, exactly as received">
          <textarea name="body" rows={4} />
        </Labeled>
        <Labeled label="Headers, one per line">
          <textarea name="headers" rows={4} />
        </Labeled>
        <Labeled label="Signing secret">
          <input name="secret" type="password" autoComplete="off" />
        </Labeled>
        <Problem error={error} />
        {data !== undefined && (
          <p role="status" className="rounded-md bg-good-back px-3 py-2 text-good">
            {data}
          </p>
        )}
        <footer className="actions justify-end pt-2 *:first:mr-auto">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="main">
            Check
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
