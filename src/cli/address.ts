/** Addresses as they are typed, saved or found in the environment. */
import { hasUserInfo } from '../client/address.ts';
import { usage } from './failure.ts';

/** An http or https address, or a usage error that begins with where it was given. What may hold a password is not repeated. */
export function checkedUrl(text: string, origin: string): string {
  if (/^https?:\/\//u.test(text) && URL.canParse(text)) return text;
  throw usage(text.includes('@') ? `${origin} is not an http or https address` : `${origin}: "${text}" is not an http or https address`);
}

/** The address of a service, below which commands find `/v1`. */
export function checkedService(text: string, origin: string): string {
  if (hasUserInfo(checkedUrl(text, origin)))
    throw usage(`${origin}: an address must not hold a user name or password`, 'leave them out; the service asks for an API key');
  const [, base] = /^(.*)\/v1\/*$/u.exec(text) ?? [];
  if (base !== undefined) throw usage(`${origin}: "${text}" ends with /v1, which every command adds`, `write ${base}`);
  return text;
}
