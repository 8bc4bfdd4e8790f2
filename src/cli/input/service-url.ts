/** Validation of URLs from flags, profiles and the environment. */
import { hasUserInfo } from '../../client/transport/transport.ts';
import { usageError } from '../errors/failure.ts';

/** Returns the URL if it is http or https, else throws a usage error. `origin`: where it was given. A URL that may contain a password is not printed. */
export function validateUrl(text: string, origin: string): string {
  if (/^https?:\/\//u.test(text) && URL.canParse(text)) return text;
  throw usageError(text.includes('@') ? `${origin} is not an http or https URL` : `${origin}: "${text}" is not an http or https URL`);
}

/** Returns the base URL of a service, to which commands append `/v1`. */
export function validateServiceUrl(text: string, origin: string): string {
  if (hasUserInfo(validateUrl(text, origin)))
    throw usageError(`${origin}: a URL must not contain a user name or password`, 'Remove them; the service requires an API key instead');
  const [, base] = /^(.*)\/v1\/*$/u.exec(text) ?? [];
  if (base !== undefined) throw usageError(`${origin}: "${text}" must not end with /v1, which commands add`, `Use ${base}`);
  return text;
}
