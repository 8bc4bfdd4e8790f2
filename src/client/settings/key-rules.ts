/** Where API keys may be sent: the only rule of it, by the source of the key and the source of the address. T-1. */

export type KeySource = 'file' | 'variable' | 'saved';
/** Where the address of the service comes from; `profile` also for the default data directory. */
export type AddressSource = 'url-flag' | 'url-variable' | 'project-file' | 'directory-flag' | 'directory-variable' | 'profile';

/**
 * `any`: the user named the key and the address. `named`: only to an origin that the user named elsewhere, in a profile, or to a daemon of
 * the user, because others write project files. `its-own`: only to the origin or data directory for which the key was saved.
 */
type Rule = 'any' | 'named' | 'its-own';

export const KEY_RULES: Readonly<Record<KeySource, Readonly<Record<AddressSource, Rule>>>> = {
  /** --api-key-file, given for this command alone. */
  file: {
    'url-flag': 'any',
    'url-variable': 'any',
    'project-file': 'any',
    'directory-flag': 'any',
    'directory-variable': 'any',
    profile: 'any',
  },
  /** STOCKROOM_API_KEY, which is set for every command of a shell. */
  variable: {
    'url-flag': 'any',
    'url-variable': 'any',
    'project-file': 'named',
    'directory-flag': 'any',
    'directory-variable': 'any',
    profile: 'any',
  },
  saved: {
    'url-flag': 'its-own',
    'url-variable': 'its-own',
    'project-file': 'its-own',
    'directory-flag': 'its-own',
    'directory-variable': 'its-own',
    profile: 'its-own',
  },
};

export interface Destination {
  readonly source: AddressSource;
  /** Whether a saved profile has this origin, or a daemon of the user listens there. */
  readonly isNamed: boolean;
  /** Whether the selected profile was saved for this service. */
  readonly isOfProfile: boolean;
}

export function mayBeSent(key: KeySource, { source, isNamed, isOfProfile }: Destination): boolean {
  const rule = KEY_RULES[key][source];
  return rule === 'any' || (rule === 'named' ? isNamed : isOfProfile);
}
