/** The flags that many commands share. */
import { Flags } from '@oclif/core';
import { usage } from './failure.ts';
import { FORMATS } from './formats.ts';

const GLOBAL = 'GLOBAL';
const MAX_WAIT_DEFAULT_S = 60;

/** For flags that say to whom a command goes: a variable of a script that was not set must not send it elsewhere. */
export const notEmpty = (flag: string) => ({
  parse(text: string): Promise<string> {
    if (text === '') throw usage(`--${flag} is empty`, 'give it a value, or leave it out');
    return Promise.resolve(text);
  },
});

/** Every command has these. */
export const globalFlags = {
  output: Flags.option({
    char: 'o',
    options: FORMATS,
    helpGroup: GLOBAL,
    description: 'Format of the output. Default: a table on a terminal, tab-separated values in a pipe.',
  })(),
  json: Flags.boolean({
    helpGroup: GLOBAL,
    description: 'Print the answer of the service exactly; errors become one JSON object on stdout.',
    exclusive: ['output'],
  }),
  columns: Flags.string({
    helpGroup: GLOBAL,
    helpValue: 'a,b',
    description: 'Show these columns only; a wrong name lists the right ones.',
  }),
  'no-color': Flags.boolean({ helpGroup: GLOBAL, description: 'No colour (also NO_COLOR=1).' }),
  'no-input': Flags.boolean({ helpGroup: GLOBAL, description: 'Never ask; fail or go on instead.' }),
  verbose: Flags.boolean({ helpGroup: GLOBAL, description: 'Tell on stderr each request: method, URL, status, time, idempotency key.' }),
};

/** Commands that send requests. */
export const maxWaitFlag = Flags.integer({
  helpGroup: GLOBAL,
  helpValue: 'SECONDS',
  min: 0,
  default: MAX_WAIT_DEFAULT_S,
  description: 'Longest wait when rate limited, or when the service is busy.',
});

/** Commands that talk to the daemon of a data directory. */
export const dataDirFlag = Flags.string({
  ...notEmpty('data-dir'),
  helpGroup: GLOBAL,
  helpValue: 'DIR',
  description: 'Data directory of the daemon (also STOCKROOM_DATA_DIR).',
});

export const profileFlag = Flags.string({
  ...notEmpty('profile'),
  helpGroup: GLOBAL,
  helpValue: 'NAME',
  description: 'Use this saved address and key (also STOCKROOM_PROFILE).',
});

export const urlFlag = Flags.string({
  ...notEmpty('url'),
  helpGroup: GLOBAL,
  helpValue: 'URL',
  description: 'Address of the service (also STOCKROOM_URL).',
});

export const keyFileFlag = Flags.string({
  ...notEmpty('api-key-file'),
  helpGroup: GLOBAL,
  helpValue: 'FILE|-',
  description: 'Read the API key from a file, or from stdin for - (also STOCKROOM_API_KEY).',
});
