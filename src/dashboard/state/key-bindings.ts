/** The list of keys, each with its action and the equivalent command. The help screen shows it. */
import { type Tab, TABS } from './model.ts';

/** A key press, independent of the terminal library. `name` is the character or the name of a special key. */
export interface KeyPress {
  readonly name: string;
  /** Printable text; several characters when pasted. */
  readonly text: string | null;
}

export interface KeyHelp {
  readonly keys: string;
  readonly action: string;
  /** The equivalent command, unless only the dashboard has it. */
  readonly command?: string;
}

const TAB_COMMANDS: Readonly<Record<Tab, string>> = {
  overview: 'stockroom dashboard --once',
  deliveries: 'stockroom webhooks deliveries tail',
  limits: 'stockroom usage --watch',
  endpoints: 'stockroom webhooks health',
  requests: 'stockroom requests tail',
  audit: 'stockroom audit export',
  items: 'stockroom stock reorder',
  orders: 'stockroom orders list --overdue',
  events: 'stockroom events tail',
};

export const HELP: readonly KeyHelp[] = [
  ...TABS.map((tab, index) => ({ keys: String(index), action: tab, command: TAB_COMMANDS[tab] })),
  { keys: 'tab', action: 'next tab; shift-tab: previous tab' },
  { keys: 'j k', action: 'down and up, or arrow keys' },
  { keys: 'g G', action: 'first row; last row and follow' },
  { keys: 'PgUp PgDn', action: 'page up and down, or ctrl-u and ctrl-d' },
  { keys: '/', action: 'filter: word, field:value, !term; up: earlier ones' },
  { keys: '', action: '/regex/  event:order.*  http:5xx  took:>1s' },
  { keys: '', action: '"two words"  since:2h  status:failed,retrying' },
  { keys: 'F', action: 'saved filters of the configuration, by their keys' },
  { keys: 'f', action: 'show only problems, or all' },
  { keys: 'p', action: 'pause; new rows are counted' },
  { keys: 's S', action: 'sort by the next column; reverse' },
  { keys: ':', action: 'go to a tab or record: :orders SO-000012', command: 'stockroom orders get ID' },
  { keys: 'enter', action: 'details: request, attempts, record, history', command: 'stockroom webhooks deliveries show ID' },
  { keys: '', action: 'on an endpoint: its deliveries; i: its details', command: 'stockroom webhooks deliveries list ENDPOINT' },
  { keys: 'v', action: 'details beside the list, from 120 columns on' },
  { keys: '/', action: 'in details: find text; n N: next, previous line' },
  { keys: 'J', action: 'in a record: JSON or fields', command: 'stockroom orders get ID --lines --json' },
  { keys: 'c', action: 'set the status of the order; shows the effect', command: 'stockroom orders complete ID --dry-run' },
  { keys: 'r', action: 'resend the delivery; asks if it was delivered', command: 'stockroom webhooks deliveries resend ID' },
  { keys: 'space', action: 'mark a delivery' },
  {
    keys: 'R',
    action: 'resend marked ones or problems; a: all failed',
    command: 'stockroom webhooks deliveries resend --failed --since 1h',
  },
  { keys: 'T', action: 'send a test event, after a confirmation', command: 'stockroom webhooks trigger EVENT' },
  { keys: '', action: 'on an endpoint: test the connection', command: 'stockroom webhooks test ID' },
  { keys: 'o', action: 'show and copy the URL of the record' },
  { keys: 'y', action: 'copy as curl or JSON; on items: the command', command: 'stockroom webhooks deliveries show ID --json' },
  { keys: 'e', action: 'open the body in $PAGER', command: 'stockroom webhooks deliveries show ID | less' },
  { keys: 'w', action: 'write all rows as NDJSON into this directory', command: 'stockroom webhooks deliveries tail --since 1h --json' },
  { keys: 'esc', action: 'back; clear filter, sorting and marks' },
  { keys: 'ctrl-l', action: 'draw the screen again' },
  { keys: 'ctrl-z', action: 'stop; the shell continues it with fg' },
  { keys: 'q', action: 'quit, also :q and ctrl-c' },
];
