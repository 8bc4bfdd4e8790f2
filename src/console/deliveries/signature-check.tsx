/** Checks the signature of a delivery that a receiver got. Body and secret stay in this page. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  WebhookVerificationError,
  checkAge,
  checkSecret,
  createMismatchError,
  listReformatted,
  readSignature,
} from '../../webhook-verifier/delivery.ts';
import { Button, Dialog, Problem } from '../ui/index.ts';

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

const FIELDS = { body: 'Body, exactly as received', headers: 'Headers, one per line', secret: 'Signing secret' } as const;
type Name = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as readonly Name[];

export function SignatureCheck({ onClose }: { readonly onClose: () => void }) {
  const [values, setValues] = useState<Readonly<Record<Name, string>>>({ body: '', headers: '', secret: '' });
  const { mutate, reset, data, error } = useMutation({
    mutationFn: () => checkSignature(values.body, values.headers, values.secret.trim()),
  });
  return (
    <Dialog title="Check a signature" size="large" onClose={onClose}>
      <p className="text-soft">For what a receiver got. Nothing of it leaves this page.</p>
      {NAMES.map((name) => {
        const props = {
          value: values[name],
          onChange: ({ target }: { readonly target: { readonly value: string } }) => {
            setValues({ ...values, [name]: target.value });
            reset();
          },
        };
        return (
          <label key={name} className="grid gap-1">
            <span className="font-semibold">{FIELDS[name]}</span>
            {name === 'secret' ? <input type="password" autoComplete="off" {...props} /> : <textarea rows={4} {...props} />}
          </label>
        );
      })}
      <Problem error={error} />
      {data !== undefined && (
        <p role="status" className="rounded-md bg-good-back px-3 py-2 text-good">
          {data}
        </p>
      )}
      <footer className="actions justify-end pt-2 *:first:mr-auto">
        <Button onClick={onClose}>Close</Button>
        <Button kind="main" onClick={mutate}>
          Check
        </Button>
      </footer>
    </Dialog>
  );
}
