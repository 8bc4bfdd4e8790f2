/** Signing secrets of webhook endpoints. Stored in plain text, because signing needs them, and shown only once. W-7. */
import { randomBytes } from 'node:crypto';
import { ROTATION_OVERLAP_H, SIGNING_SECRET_BYTES } from '../../contract/limits.ts';

export interface SigningSecrets {
  /** Hex. */
  readonly secret: string;
  /** The previous secret signs as well until then. */
  readonly previous: { readonly secret: string; readonly until: string } | null;
}

export const generateSecret = (random: (bytes: number) => Buffer = randomBytes): string => random(SIGNING_SECRET_BYTES).toString('hex');

/** Activates a new secret. The current one also signs until the overlap ends; an older one stops signing immediately. */
export function rotateSigningSecret({ secret }: SigningSecrets, newSecret: string, now: Date): SigningSecrets {
  const until = new Date(now.getTime() + ROTATION_OVERLAP_H * 3_600_000).toISOString();
  return { secret: newSecret, previous: { secret, until } };
}

/** The secrets that sign now, newest first. */
export const listActiveSecrets = ({ secret, previous }: SigningSecrets, now: Date): readonly string[] =>
  previous !== null && now.getTime() < Date.parse(previous.until) ? [secret, previous.secret] : [secret];
