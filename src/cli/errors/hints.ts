/** Hints: what to do about an error. */
import type { ApiError, Unreachable } from '../../client/errors.ts';
import { INJECTED_FAULT_MESSAGE } from '../../contract/admin/faults.ts';
import { RATE_WINDOW_S } from '../../contract/limits.ts';
import { getListHint } from './list-hints.ts';

/** What hints depend on besides the error. */
export interface HintContext {
  /** The command as typed: `items create`. */
  readonly command: string;
  /** Where the API key comes from, in the words of `config show --origin`. */
  readonly keyOrigin?: string | undefined;
  /** The profile that has the URL of the service; keys of the daemon's own profiles are not used with it. */
  readonly urlProfile?: { readonly name: string; readonly url: string } | undefined;
  /** Whether requests go to the daemon of a data directory on this machine. */
  readonly isLocal: boolean;
  /** Whether that daemon deletes its data when it stops, so that a saved key would be useless. */
  readonly isEphemeral?: boolean | undefined;
  /** The data directory, if commands about its daemon have to name it. */
  readonly dataDir?: string | undefined;
  /** Whether --idempotency-key was given; undefined if the command does not have the flag. */
  readonly hasIdempotencyKey?: boolean | undefined;
}

/** Fewer of its last characters are no id of a delivery. */
export const SHORT_ID_MIN_CHARS = 6;
/** For an id of no delivery. */
export const DELIVERY_LIST_HINT = `List the deliveries with \`stockroom webhooks deliveries tail --no-follow\`; the last ${String(SHORT_ID_MIN_CHARS)} characters of an id identify it`;

export function getApiErrorHint(error: ApiError, context: HintContext): string | null {
  switch (error.code) {
    case 'UNAUTHENTICATED':
      if (context.keyOrigin === 'STOCKROOM_API_KEY')
        return `The key is that of the variable STOCKROOM_API_KEY: correct it, or ${context.isEphemeral === true ? `set it to the secret of \`${formatKeyCommand(context)}\`` : 'unset it to use the saved key'}`;
      if (context.keyOrigin === '--api-key-file')
        return 'The key is that of --api-key-file: correct the file, or omit the flag to use the saved key';
      if (context.urlProfile) return `Save another key in the profile: \`${formatProfileCommand(context.urlProfile)}\``;
      return context.isEphemeral === true
        ? getNewKeyHint(context)
        : `Set STOCKROOM_API_KEY, switch to a saved key (\`stockroom profile list\`), or create one: \`${formatKeyCommand(context)}\``;
    case 'SCOPE_REQUIRED':
      if (!context.isLocal) return 'Show the scopes of the key with `stockroom auth context`';
      return context.urlProfile
        ? `Create a key with \`stockroom keys create --all-scopes${formatDataDirFlag(context.dataDir)}\` and save it in the profile: \`${formatProfileCommand(context.urlProfile)}\`${getPrecedenceNote(context)}`
        : `${getNewKeyHint(context)}${getPrecedenceNote(context)}`;
    case 'PLAN_REQUIRED':
      return 'Show the plan with `stockroom auth context`; change the plan of a local tenant with `stockroom tenants update`';
    case 'APPLICATION_DISABLED':
      return 'Show the status of the application with `stockroom apps list`; approve it with `stockroom apps approve`';
    case 'RATE_LIMITED':
      return `Wait for the next window with --max-wait ${String(error.retryAfterSeconds ?? RATE_WINDOW_S)}, or use a key of a higher tier`;
    case 'CONFLICT':
      return context.hasIdempotencyKey === true ? 'Omit --idempotency-key to use a new key' : null;
    case 'VALIDATION_FAILED':
      return getListHint(error.fields) ?? `See \`stockroom ${context.command} --help\``;
    case 'INSUFFICIENT_STOCK':
      if (context.command === 'stock documents cancel')
        return 'What it received has left since: take back the later documents first (`stockroom stock movements list`), or allow negative stock meanwhile (`stockroom organization update --negative-stock allow`)';
      return 'Show the stock with `stockroom stock levels`, and what to order or produce with `stockroom stock reorder`';
    case 'CURSOR_EXPIRED':
      return 'Omit --cursor to start at the oldest kept event, or follow new ones with `stockroom events tail`';
    case 'INVALID_STATE':
      return error.details?.['status'] === 'draft' && typeof error.details['orderId'] === 'string'
        ? `Open the order first: \`stockroom orders open ${error.details['orderId']}\``
        : null;
    case 'STALE_COUNT':
      return 'Count again, then update countedQuantity and expectedQuantity of the lines; or post what was counted with --force';
    case 'NOT_FOUND':
      // States of a tenant are in memory, snapshots of the service are not.
      if (/^tenants (?:reset|snapshot)/u.test(context.command))
        return 'Apply fixtures with `stockroom fixtures apply`, or save a state with `stockroom tenants snapshot`';
      if (/^(?:snapshot|reset) ?/u.test(context.command)) return 'List the snapshots with `stockroom snapshot list`';
      if (/^webhooks deliveries (?:show|resend)$/u.test(context.command)) return DELIVERY_LIST_HINT;
      return context.command.startsWith('keys ')
        ? 'Keys belong to one tenant: select another with --tenant, or list them with `stockroom tenants list`'
        : null;
    case 'INTERNAL_ERROR':
      if (!context.isLocal || error.message === INJECTED_FAULT_MESSAGE) return null;
      return 'Search for the request id in `stockroom daemon logs`, or in the terminal of a daemon in the foreground';
    default:
      return null;
  }
}

/** What to do about an order that cannot be changed because of its stock documents; undefined for other errors. `order`: as typed. */
export function getOrderHint({ code, details }: ApiError, order: string): string | undefined {
  if (code === 'ORDER_HAS_POSTED_STOCK') return getReversalHint(order);
  if (code !== 'INVALID_TRANSITION') return undefined;
  if (details?.['from'] === 'draft') return `Open it first: \`stockroom orders open ${quoteForShell(order)}\``;
  if (details?.['from'] !== 'completed') return undefined;
  return `Reversing its stock documents opens the order again. ${getReversalHint(order)}`;
}

const getReversalHint = (order: string): string =>
  `List them with \`stockroom stock documents list --order-id ${quoteForShell(order)} --status approved\`, then reverse each with \`stockroom stock documents cancel\``;

const formatProfileCommand = ({ name, url }: NonNullable<HintContext['urlProfile']>): string =>
  `stockroom profile add ${quoteForShell(name)} --url ${quoteForShell(url)} --api-key-file FILE`;

/** `tenant`: only if it is not that of the active profile. */
export type KeyContext = Pick<HintContext, 'isEphemeral' | 'dataDir'> & { readonly tenant?: string };

/** How to get a key with all scopes for the daemon of this machine. */
export const getNewKeyHint = (context: KeyContext): string =>
  context.isEphemeral === true
    ? `The daemon is ephemeral: create a key with \`${formatKeyCommand(context)}\` and set STOCKROOM_API_KEY to its secret`
    : `Create a key with all scopes: \`${formatKeyCommand(context)}\``;

/** How a saved key takes effect where another one was given. */
function getPrecedenceNote({ keyOrigin, isEphemeral }: HintContext): string {
  if (isEphemeral === true) return '';
  if (keyOrigin === 'STOCKROOM_API_KEY') return ', then unset STOCKROOM_API_KEY, whose key takes precedence';
  return keyOrigin === '--api-key-file' ? ', then omit --api-key-file, whose key takes precedence' : '';
}

/** A key of an ephemeral daemon is not saved. */
export const formatKeyCommand = ({ isEphemeral, dataDir, tenant }: KeyContext): string =>
  `stockroom keys create${tenant === undefined ? '' : ` --tenant ${quoteForShell(tenant)}`} --all-scopes${isEphemeral === true ? '' : ' --save'}${formatDataDirFlag(dataDir)}`;

export function getUnreachableHint(error: Unreachable, { isLocal, dataDir, hasIdempotencyKey }: HintContext): string {
  if (error.afterSending) {
    // The user does not know the key of a request without the flag.
    if (hasIdempotencyKey === false)
      return 'The request may have been executed: check before you repeat it. With --idempotency-key, a command is safe to repeat';
    if (hasIdempotencyKey === true)
      return 'The request may have been executed. Requests with the same --idempotency-key are executed only once, so they are safe to repeat';
    if (!isLocal) return 'Try again; --verbose logs each request';
    const flag = formatDataDirFlag(dataDir);
    return `Check the daemon with \`stockroom daemon status${flag}\` and \`stockroom daemon logs${flag}\``;
  }
  return isLocal ? getStartHint(dataDir) : 'Check --url, STOCKROOM_URL or the profile: `stockroom config show --origin`';
}

export const getStartHint = (dataDir: string | undefined): string =>
  `Start the daemon with \`stockroom daemon start${formatDataDirFlag(dataDir)}\``;

/** ` --data-dir DIR`, or nothing for undefined. */
export const formatDataDirFlag = (dataDir: string | undefined): string =>
  dataDir === undefined ? '' : ` --data-dir ${quoteForShell(dataDir)}`;

/** Quotes a text as one word of a POSIX shell, or of cmd and PowerShell, which know no single quotes in common, if it needs quotes. */
export function quoteForShell(text: string, platform = process.platform): string {
  if (platform === 'win32') return /[^\w./:\\@+=-]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return /[^\w./:@%+=-]/u.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text;
}
