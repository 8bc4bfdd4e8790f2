/** Flags that many commands share. */
import { Flags } from '@oclif/core';
import { usageError } from '../errors/failure.ts';
import { FORMATS } from '../output/formats.ts';
import { integerFlag } from './integer-flag.ts';

const GLOBAL = 'GLOBAL';
const MAX_WAIT_DEFAULT_S = 60;

/** For flags that select a service or tenant: an unset variable of a script must not select another one. */
export const requireValue = (flag: string) => ({
  parse(text: string): Promise<string> {
    if (text === '') throw usageError(`--${flag} must not be empty`, 'Pass a value or omit the flag');
    return Promise.resolve(text);
  },
});

/** For flags that can be given several times, with one value each, because it may contain commas. */
export const repeatable = { multiple: true, multipleNonGreedy: true } as const;
/** For flags with several values: joined by commas, or in repeated flags. */
export const valueList = { ...repeatable, delimiter: ',' } as const;

/** For lists that do not come in pages. `limit`: that of a list without these flags. */
export const limitFlags = (limit: number) => ({
  limit: integerFlag({
    helpValue: 'N',
    min: 1,
    description: `Maximum number of rows. Default: ${String(limit)}.`,
    exclusive: ['all'],
  }),
  all: Flags.boolean({ description: 'List every row.' }),
});

/** Flags of every command. */
export const globalFlags = {
  output: Flags.option({
    char: 'o',
    options: FORMATS,
    helpGroup: GLOBAL,
    description: 'Output format. Default: table on a terminal, tsv (tab-separated values) in a pipe.',
  })(),
  json: Flags.boolean({
    helpGroup: GLOBAL,
    description: 'Print the response of the service unchanged, and errors as a JSON object on stdout.',
    exclusive: ['output'],
  }),
  jq: Flags.string({
    helpGroup: GLOBAL,
    helpValue: 'EXPR',
    description: 'Filter the JSON of --json with a jq expression; texts are printed without quotes.',
    exclusive: ['output', 'columns'],
  }),
  columns: Flags.string({
    helpGroup: GLOBAL,
    helpValue: 'a,b',
    description: 'Columns to show, comma-separated. An unknown name lists all columns.',
  }),
  'csv-safe': Flags.boolean({
    helpGroup: GLOBAL,
    description: "Print CSV in which texts that a spreadsheet could run as formulas start with '.",
    exclusive: ['json'],
  }),
  'no-color': Flags.boolean({ helpGroup: GLOBAL, description: 'Disable colors (or set NO_COLOR=1).' }),
  'no-input': Flags.boolean({ helpGroup: GLOBAL, description: 'Disable prompts.' }),
  verbose: Flags.boolean({ helpGroup: GLOBAL, description: 'Log each request to stderr: method, URL, status, duration, idempotency key.' }),
};

/** For commands that send requests. */
export const maxWaitFlag = integerFlag({
  helpGroup: GLOBAL,
  helpValue: 'SECONDS',
  min: 0,
  default: MAX_WAIT_DEFAULT_S,
  description: 'Maximum wait when rate limited or when the service is busy.',
});

const selector = (flag: string, helpValue: string, description: string) =>
  Flags.string({ ...requireValue(flag), helpGroup: GLOBAL, helpValue, description });

/** For commands that talk to the daemon of a data directory. */
export const dataDirFlag = selector('data-dir', 'DIR', 'Data directory of the daemon (or set STOCKROOM_DATA_DIR).');
export const profileFlag = selector('profile', 'NAME', 'Saved profile with URL and key (or set STOCKROOM_PROFILE).');
export const urlFlag = selector('url', 'URL', 'URL of the service (or set STOCKROOM_URL).');
export const keyFileFlag = selector('api-key-file', 'FILE|-', 'File with the API key, or - for stdin (or set STOCKROOM_API_KEY).');
/** For commands that act on one tenant. */
export const tenantFlag = selector('tenant', 'SLUG', 'Slug of the tenant. Optional if there is only one.');

export const yesFlag = {
  yes: Flags.boolean({
    char: 'y',
    description: 'Skip the confirmation prompt. There is none without a terminal, in CI or with --no-input.',
  }),
};
