/** What every key does, in the reader's words and as the command that does the same: the help, and the only list of the keys. */
import type { Tab } from './model.ts';
import { TABS } from './model.ts';

/** A key press, without the terminal library's shape. `name` is the character, or the name of a special key. */
export interface Press {
  readonly name: string;
  /** A printable text, several characters when it was pasted. */
  readonly text: string | null;
}

export interface KeyHelp {
  readonly keys: string;
  readonly does: string;
  /** What to type instead; null: only the screen has it. */
  readonly command: string | null;
}

const TAB_COMMANDS: Readonly<Record<Tab, string>> = {
  deliveries: 'stockroom webhooks deliveries tail',
  limits: 'stockroom usage --watch',
  endpoints: 'stockroom webhooks health',
  requests: 'stockroom daemon logs -f',
  audit: 'stockroom audit export',
};

export const HELP: readonly KeyHelp[] = [
  ...TABS.map((tab, index) => ({ keys: String(index + 1), does: tab, command: TAB_COMMANDS[tab] })),
  { keys: 'tab', does: 'next tab, shift-tab the one before', command: null },
  { keys: 'j k', does: 'down and up, also with arrows', command: null },
  { keys: 'g G', does: 'first row; last row, and follow', command: null },
  { keys: 'PgUp PgDn', does: 'a page, also ctrl-u and ctrl-d', command: null },
  { keys: '/', does: 'filter: text, /regex/, !inverse; again: recall', command: null },
  { keys: 'f', does: 'failed only', command: 'stockroom webhooks deliveries tail --status failed' },
  { keys: 'p', does: 'pause, and count what is held', command: null },
  { keys: 'enter', does: 'detail: request, headers, attempts, reason', command: 'stockroom webhooks deliveries show ID' },
  { keys: 'r', does: 'resend the delivery', command: 'stockroom webhooks deliveries resend ID' },
  { keys: 'R', does: 'resend all failed that are shown', command: 'stockroom webhooks deliveries resend --failed --since 1h' },
  { keys: 'T', does: 'send a test event', command: 'stockroom webhooks trigger EVENT' },
  { keys: '', does: 'on an endpoint: check that it answers', command: 'stockroom webhooks test ID' },
  { keys: 'y', does: 'copy as curl or JSON', command: 'stockroom webhooks deliveries show ID --json' },
  { keys: 'e', does: 'open the body in $PAGER', command: 'stockroom webhooks deliveries show ID | less' },
  { keys: 's', does: 'save what is buffered as NDJSON', command: 'stockroom webhooks deliveries tail --since 1h --json' },
  { keys: 'esc', does: 'back; then clear the filter', command: null },
  { keys: 'q', does: 'quit', command: null },
];
