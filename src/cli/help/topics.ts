/** The topics of `stockroom help TOPIC`, about what all commands have in common. */
import { events } from '../../contract/events.ts';
import { DEFAULT_PORT } from '../../platform/local-paths.ts';
import { DELIVERY_HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts';
import { OVERLOAD_DELAY_S, RETRY_SCHEDULE_S, SIGNATURE_TOLERANCE_S } from '../../contract/limits.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { dataDirFlag, globalFlags, keyFileFlag, maxWaitFlag, profileFlag, tenantFlag, urlFlag } from '../input/common-flags.ts';
import { wrapText } from '../output/text-width.ts';
import { FORMATS } from '../output/formats.ts';

export interface HelpTopic {
  readonly summary: string;
  readonly text: string;
}

const EXIT_DESCRIPTIONS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'success',
  unexpected: 'unexpected error, or the service returned 5xx',
  usage: 'invalid command line, unknown command, or the service returned 400',
  notFound: 'not found (404)',
  denied: 'missing or invalid key, or a key without the scope or plan (401, 403)',
  conflict: 'duplicate, in use, invalid state or changed (409, 410, 412)',
  rateLimited: 'still rate limited after --max-wait (429)',
  unreachable: 'no response, port in use, or data directory locked',
  partial: 'part of a bulk job failed; the rest succeeded',
  checkFailed: 'a check failed: doctor, verify, wait',
  commandNotExecutable: 'the command of exec cannot be executed',
  commandNotFound: 'the command of exec was not found',
};

const exitLines = Object.entries(EXIT).map(
  ([name, code]) => `  ${String(code).padStart(3)}  ${EXIT_DESCRIPTIONS[name as keyof typeof EXIT]}`,
);

const GLOBAL_FLAGS = {
  ...globalFlags,
  'max-wait': maxWaitFlag,
  profile: profileFlag,
  url: urlFlag,
  'data-dir': dataDirFlag,
  'api-key-file': keyFileFlag,
  tenant: tenantFlag,
};
const LINE_CHARS = 80;
const FLAG_CHARS = 25;
const EVENT_CHARS = 26;
const MINUTE_S = 60;
const HOUR_S = 3_600;

/** `  -o, --output=FORMAT     Output format. …` */
const flagLines = Object.entries(GLOBAL_FLAGS).flatMap(([name, flag]) => {
  const { char, description = '', helpValue } = flag as { char?: string; description?: string; helpValue?: string };
  const value = name === 'output' ? '=FORMAT' : helpValue === undefined ? '' : `=${helpValue}`;
  const label = `  ${char === undefined ? '' : `-${char}, `}--${name}${value}`;
  return wrapText(description, LINE_CHARS - FLAG_CHARS).map((line, at) => (at === 0 ? label : '').padEnd(FLAG_CHARS) + line);
});

const eventLines = Object.entries(events).flatMap(([name, { summary }]) =>
  wrapText(summary, LINE_CHARS - EVENT_CHARS).map((line, at) => (at === 0 ? `  ${name}` : '').padEnd(EVENT_CHARS) + line),
);

/** `5 s`, `30 min`, `2 h` */
const formatDelay = (seconds: number): string =>
  seconds % HOUR_S === 0
    ? `${String(seconds / HOUR_S)} h`
    : seconds % MINUTE_S === 0
      ? `${String(seconds / MINUTE_S)} min`
      : `${String(seconds)} s`;

export const HELP_TOPICS: Readonly<Record<string, HelpTopic>> = {
  flags: {
    summary: 'flags that many commands have',
    text: ['Flags of many commands, before or after the command.', '', ...flagLines].join('\n'),
  },
  environment: {
    summary: 'variables, files and their precedence',
    text: `Environment variables

  STOCKROOM_URL        URL of the service
  STOCKROOM_API_KEY    API key; flags would show it to other processes
  STOCKROOM_PROFILE    saved profile with URL and key
  STOCKROOM_DATA_DIR   data directory of the local daemon
  STOCKROOM_STORE      PostgreSQL database of daemons
  STOCKROOM_STORE_LISTEN   the same database without a pooler, to be notified
  STOCKROOM_PUBLIC_URL, STOCKROOM_TRUST_PROXY, STOCKROOM_CORS,
  STOCKROOM_OTLP_ENDPOINT   flags of daemon start
  STOCKROOM_CONTROL_TOKEN   token of --control-port
  STOCKROOM_FROM_API_KEY    key of the source of pull
  STOCKROOM_COMPLETION_TIMEOUT   milliseconds to wait for values after Tab (600)
  NO_COLOR             disable colors   FORCE_COLOR   use colors in pipes
  CI                   disable prompts

Flags override variables, variables the project file, the project file the
profile, and the profile the defaults. The project file is .stockroom.json in
the working directory or above, up to the root of the repository or your home
directory; it can set url, profile and tenant. It is ignored if other users can
write to it or its directory. Show the active settings and their origins with
\`stockroom config show --origin\`.`,
  },
  'exit-codes': {
    summary: 'exit codes of commands',
    text: [
      'Exit codes',
      '',
      ...exitLines,
      '  130  interrupted (Ctrl-C)',
      '  143  terminated',
      '',
      'With --json the exit code is also in error.exit; error.code is a code of the',
      'API, such as NOT_FOUND, or of this program, such as USAGE or UNREACHABLE.',
    ].join('\n'),
  },
  formatting: {
    summary: 'tables, JSON, CSV, columns and pipes',
    text: `Output

The default is a table that fits the terminal; in a pipe, tsv: tab-separated
values with a header, without colors. Messages, progress and prompts go to
stderr.

  -o, --output   ${FORMATS.join(' | ')}
  --json         the response of the service, unchanged
  --csv-safe     CSV for spreadsheets: texts that could be formulas start with '
  --columns a,b  only these fields; supplier.name is a nested field
  --sort name    sort by a field; -name for descending order
  --all          all rows; --limit N for at most N rows

A terminal shows control characters as \ufffd, in JSON and YAML as escapes; pipes
and files get every character unchanged.

Examples:

  stockroom items list --all -o csv > items.csv
  stockroom items list --columns sku,name,salePrice
  stockroom items list -o id | xargs -n1 stockroom items get -o ndjson
  stockroom items get ID --json | jq .data.sku`,
  },
  webhooks: {
    summary: 'receive, verify, replay',
    text: `Webhooks

An endpoint receives the events it subscribes to (\`stockroom help events\`).
Deliveries are signed, and all attempts are recorded. Failed ones are retried
after ${RETRY_SCHEDULE_S.map(formatDelay).join(', ')}, or as
\`--webhook-retries\` of \`daemon start\` says; with demo data within a minute.
After 429, 502, 504 and timeouts at least ${String(OVERLOAD_DELAY_S)} s later.
\`webhooks deliveries show\` ends with the time of the next attempt.

  stockroom webhooks listen --forward-to http://localhost:3000/hooks
  stockroom webhooks trigger order.created --set status=open
  stockroom webhooks deliveries tail --since 10m
  stockroom webhooks deliveries resend DELIVERY_ID
  stockroom webhooks verify --body body.json --timestamp 1774965600 \\
    --signature v1=0a1b2c --secret-file secret.txt

\`listen\` creates an endpoint, verifies and prints the deliveries, forwards
them, and disables the endpoint at the end; the next run in the same project
reuses it. For a remote service, pass the URL of a tunnel to --port as
--public-url. With --since last it first forwards the events that were missed.

Verify each delivery before you parse it. ${DELIVERY_HEADERS.signature} is ${SIGNATURE_PREFIX} and the hex
HMAC-SHA256 of TIMESTAMP.RAW_BODY, keyed with the signing secret decoded from
hex. TIMESTAMP is ${DELIVERY_HEADERS.timestamp}, at most ${String(SIGNATURE_TOLERANCE_S)} seconds old. While a secret
is rotated there is one signature per secret, separated by a comma. With a
test clock TIMESTAMP is the time of the service, see docs/webhooks.md.

\`webhooks create\` shows the secret once, \`webhooks rotate-secret ENDPOINT\` a new
one. For Node see docs/webhooks.md and docs/examples/signature.ts.`,
  },
  events: {
    summary: 'events that webhooks receive',
    text: [
      'Events',
      '',
      ...eventLines,
      '',
      '`webhooks trigger` sends any event that is neither reserved nor the test.',
      'Endpoints can subscribe to all but the test, which `webhooks test` sends.',
      '',
      '`events list` and `events tail` read them from the service, without webhooks,',
      'and also changes of stock levels, reorder points, sites, units and categories:',
      '`events tail --since 1h --types stock_level.updated`.',
    ].join('\n'),
  },
  offline: {
    summary: 'working without a network',
    text: `Offline

The service runs entirely on this machine: the daemon listens on 127.0.0.1, by
default on port ${String(DEFAULT_PORT)}, and stores all data in its data directory. Requests go to
other machines only if you configure a URL: with --url, STOCKROOM_URL, a
profile or a webhook endpoint. There is no telemetry and no update check.

  stockroom demo            create sample data
  stockroom daemon status   show URL, process and data
  stockroom daemon stop     stop the daemon`,
  },
};
