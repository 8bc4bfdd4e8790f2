/** Signing secrets of endpoints. They have to stay readable, because signing needs them; nothing but the one answer ever shows them. decisions-api §1.7. */
import { randomBytes } from 'node:crypto';
import { ROTATION_OVERLAP_H, SIGNING_SECRET_BYTES } from '../contract/limits.ts';

export interface SigningSecrets {
  /** Hex. */
  readonly secret: string;
  /** Still signs until then. */
  readonly previous: { readonly secret: string; readonly until: string } | null;
}

export const newSecret = (random: (bytes: number) => Buffer = randomBytes): string => random(SIGNING_SECRET_BYTES).toString('hex');

/** A new secret in force; the old one signs beside it until the overlap ends, an even older one ends at once. */
export function rotate({ secret }: SigningSecrets, fresh: string, now: Date): SigningSecrets {
  const until = new Date(now.getTime() + ROTATION_OVERLAP_H * 3_600_000).toISOString();
  return { secret: fresh, previous: { secret, until } };
}

/** What signs now, the newest first. */
export const secretsInForce = ({ secret, previous }: SigningSecrets, now: Date): readonly string[] =>
  previous !== null && now.getTime() < Date.parse(previous.until) ? [secret, previous.secret] : [secret];
