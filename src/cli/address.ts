import { hasUserInfo } from '../client/address.ts';
import { usage } from './failure.ts';

/** Refuses an address that names a user or a password, without repeating it; `origin` says where it was given. */
export function refuseUserInfo(url: string, origin: string): void {
  if (URL.canParse(url) && hasUserInfo(url))
    throw usage(`${origin}: an address must not hold a user name or password`, 'leave them out; the service asks for an API key');
}
