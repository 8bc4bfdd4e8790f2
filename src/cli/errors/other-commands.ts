/** Hints for commands and flags that do not exist, where another command does what they mean. */

const ON_HAND =
  'Quantities on hand change with stock documents: `stockroom stock count BOLT-M6:40` sets 40; `stockroom stock adjust --reason found BOLT-M6:40` adds them';
const RESEND_ALL =
  'Resend the failed deliveries of an endpoint with `stockroom webhooks deliveries resend --failed --since 24h --webhook-id NAME`';
const LOW_STOCK = 'List items that are low with `stockroom stock levels --low-stock`';

const TRAIL_BY_NAME =
  '`stockroom audit list` has --actor and --record, for names of a local daemon; an export has --key, --actor-type and --resource-id';
const REMOVED =
  'Stock that is gone is removed with an adjustment: `stockroom stock adjust --reason scrap BOLT-M6:-2`, or damaged, lost, expired';
const COMMAND_HINTS: readonly (readonly [RegExp, string])[] = [
  [/^restore\b/u, 'Did you mean "snapshot load"?'],
  [/^(?:version|ver)$/u, 'Did you mean "--version"?'],
  [/^(?:login|signin)\b/u, 'Save a key with `stockroom profile add NAME --url URL`, or see `stockroom help keys`'],
  [/^events\b/u, 'Did you mean "help events"?'],
  [/^docs\b/u, 'A running service shows its documentation at /docs; see `stockroom daemon status` for its address'],
  [/^stock (?:list|ls|get|show|view)\b/u, 'Did you mean "stock levels"?'],
  [/^stock set\b/u, ON_HAND],
  [/^stock (?:documents )?(?:cancel|undo|reverse)\b/u, 'Take back a posted document with `stockroom stock documents cancel`'],
  [/^(?:stock )?(?:scrap|waste|write-?off|dispose|spoil)\b/u, REMOVED],
];

const DAEMON = 'A daemon is selected by its data directory: list them with `stockroom daemon list`, then pass --data-dir DIR';

const KEPT_OPTIONS =
  'A restart keeps the options of the daemon. To change them, stop it with `stockroom daemon stop`, then start it with them';

const toHints = (commands: readonly string[], flags: readonly string[], hint: string) =>
  commands.flatMap((command) => flags.map((flag) => [`${command} ${flag}`, hint] as const));

const FLAG_HINTS: ReadonlyMap<string, string> = new Map([
  ...toHints(['daemon stop', 'daemon restart', 'daemon status', 'daemon logs'], ['--url', '--port'], DAEMON),
  ...toHints(['items list', 'stock reorder'], ['--low-stock'], LOW_STOCK),
  ...toHints(['webhooks deliveries resend'], ['--status'], RESEND_ALL),
  ...toHints(['items create', 'items update'], ['--on-hand', '--quantity', '--stock'], ON_HAND),
  ...toHints(['audit export'], ['--actor', '--user', '--record'], TRAIL_BY_NAME),
  ...toHints(['stock levels set'], ['--on-hand', '--quantity'], ON_HAND),
]);

export const getCommandHint = (typed: string): string | undefined => COMMAND_HINTS.find(([pattern]) => pattern.test(typed))?.[1];

export const getFlagHint = (command: string, flag: string): string | undefined =>
  FLAG_HINTS.get(`${command} ${flag}`) ?? (command === 'daemon restart' ? KEPT_OPTIONS : flag === '--tenant' ? TENANT_OF_KEY : undefined);

const TENANT_OF_KEY = 'The key decides the tenant: select the profile of another one with --profile';

const ARGUMENT_HINTS: ReadonlyMap<string, string> = new Map([
  [
    'webhooks deliveries list',
    'List the endpoints with `stockroom webhooks health`, the deliveries of all of them with `stockroom webhooks deliveries tail --no-follow`',
  ],
]);

/** For a missing argument. */
export const getArgumentHint = (command: string): string | undefined => ARGUMENT_HINTS.get(command);

/** Commands whose output has a secret → its path in the JSON. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/^keys (?:create|rotate)$/u, '.secret'],
  [/^webhooks (?:create|rotate-secret)$/u, '.signingSecret'],
  [/^apps (?:create|rotate-secret)$/u, '.clientSecret'],
];

/** For `-o FIELD` and `-o xlsx`. */
export function getOutputHint(command: string, argv: readonly string[]): string {
  if (argv.some((word) => /xlsx$/iu.test(word)))
    return 'Workbooks are written by exports, such as `stockroom orders export --out orders.xlsx`';
  const path = SECRETS.find(([pattern]) => pattern.test(command))?.[1];
  return path === undefined ? 'Select fields with --columns' : `Print only the secret with \`--json | jq -r ${path}\``;
}
