/** What `stockroom help TOPIC` says about the things that all commands have in common. */
import { DEFAULT_PORT } from '../contract/places.ts';
import { EXIT } from './exit-codes.ts';
import { FORMATS } from './formats.ts';

export interface HelpTopic {
  readonly summary: string;
  readonly text: string;
}

const EXIT_MEANS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'it worked',
  unexpected: 'something unexpected, or the service answered 5xx',
  usage: 'wrong command line, unknown command, or the service answered 400',
  notFound: 'what was asked for is not there (404)',
  denied: 'no key, a bad one, or one without the scope or plan (401, 403)',
  conflict: 'it is there already, is in use, or has changed (409, 412)',
  rateLimited: 'still rate limited after waiting for --max-wait (429)',
  unreachable: 'nothing answers, the port is taken, or the data directory is locked',
  partial: 'part of a bulk job failed; the rest is done',
  checkFailed: 'a check did not pass: doctor, verify, wait',
};

const exitLines = Object.entries(EXIT).map(([name, code]) => `  ${String(code).padStart(3)}  ${EXIT_MEANS[name as keyof typeof EXIT]}`);

export const HELP_TOPICS: Readonly<Record<string, HelpTopic>> = {
  environment: {
    summary: 'variables, files, and which of them wins',
    text: `Environment variables

  STOCKROOM_URL        address of the service
  STOCKROOM_API_KEY    key to send; never give a key as a flag, others see it
  STOCKROOM_PROFILE    the saved address and key to use
  STOCKROOM_DATA_DIR   data directory of the local daemon
  NO_COLOR             no colour        FORCE_COLOR   colour also in a pipe
  CI                   nobody is asked anything

A flag wins over a variable, a variable over the project file, the project file
over the profile, the profile over the default. The project file is
.stockroom.json, found from the working directory upward; it may set url,
profile and tenant. \`stockroom config show --origin\` tells what is in force and
where it comes from.`,
  },
  'exit-codes': {
    summary: 'what the exit code of a command says',
    text: [
      'Exit codes',
      '',
      ...exitLines,
      '  130  interrupted (Ctrl-C)',
      '  143  terminated',
      '',
      'With --json the same number stands in error.exit.',
    ].join('\n'),
  },
  formatting: {
    summary: 'tables, JSON, CSV, columns, and what a pipe gets',
    text: `Output

A terminal gets a table that fits it; a pipe gets tab-separated values with a
header, whole and without colour. Notes, progress and questions go to stderr.

  -o, --output   ${FORMATS.join(' | ')}
  --json         the answer of the service exactly as it came
  --columns a,b  these fields only; supplier.name reaches into a record
  --sort name    by a field the service sorts by; -name turns it round
  --all          every row, page after page; --limit N at most so many

Combine them:

  stockroom items list --all -o csv > items.csv
  stockroom items list --columns sku,name,salePrice
  stockroom items list -o id | xargs -n1 stockroom items get -o ndjson
  stockroom items get ID --json | jq .data.sku`,
  },
  webhooks: {
    summary: 'receive, verify, replay',
    text: `Webhooks

An endpoint is told about the events it subscribes to. Every delivery is signed;
a failed one is tried again on a schedule, and its log keeps each attempt.

  stockroom webhooks listen --forward-to http://localhost:3000/hooks
  stockroom webhooks trigger order.created --set status=open
  stockroom webhooks deliveries tail --since 10m
  stockroom webhooks deliveries resend DELIVERY_ID
  stockroom webhooks verify --secret-file secret.txt --body @body.json ...

\`listen\` makes an endpoint for as long as it runs, prints what arrives and
whether the signature holds, passes it on, and removes the endpoint at the end.
With a service elsewhere it needs --public-url, where a tunnel to --port begins.
With --since last it first forwards what was missed.`,
  },
  offline: {
    summary: 'what needs a network (nothing does)',
    text: `Offline

The whole service runs on this machine: the daemon listens on 127.0.0.1, port
${String(DEFAULT_PORT)} unless told otherwise, and keeps everything in its data directory.
Nothing is sent anywhere unless you name an address: with --url, STOCKROOM_URL,
a profile, or the target of a webhook. No telemetry, no update check.

  stockroom demo            believable data to look at
  stockroom daemon status   where it is
  stockroom daemon stop     leaves no process, port or lock`,
  },
};
