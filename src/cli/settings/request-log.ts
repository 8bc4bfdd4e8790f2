/** Filters and columns of the requests that the daemon has received. */
import { Flags } from '@oclif/core';
import type { listRecentRequests } from '../../contract/admin/daemon.ts';
import { listKeys } from '../../contract/admin/keys.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { isId } from '../output/fields.ts';
import { parseInstant } from '../input/timestamp.ts';
import { tenantFlag, valueList } from '../input/common-flags.ts';
import { toRequestParts } from '../records/request.ts';
import type { AdminContext } from '../session/admin-session.ts';
import { formatLogTime } from '../views/local-time.ts';

export type RequestRow = ResultOf<typeof listRecentRequests>['data']['requests'][number];

/** A request as the feed has it, whose messages have the id. */
export type FollowedRequest = Omit<RequestRow, 'id'>;

export const REQUEST_FIELDS = [
  'at',
  'method',
  'path',
  'status',
  'milliseconds',
  'operationId',
  'keyPrefix',
  'errorCode',
  'errorMessage',
  'requestId',
  'keyId',
];
export const REQUEST_TABLE_COLUMNS = ['time', 'method', 'path', 'status', 'milliseconds', 'keyPrefix', 'errorCode', 'operationId'];
export const REQUEST_DERIVED = { time: (row: unknown) => formatLogTime((row as RequestRow).at) };
/** For rows that may follow. */
export const REQUEST_SAMPLES = [{ method: 'DELETE', path: '/v1/stock-documents', status: 500, milliseconds: 1000.5 }];

export const requestFilterFlags = {
  status: Flags.string({
    ...valueList,
    helpValue: '404|5xx,…',
    description: 'Only these statuses or classes of statuses, joined by commas. Repeatable.',
  }),
  key: Flags.string({
    aliases: ['api-key', 'api-key-id'],
    helpValue: 'KEY',
    description: 'Only requests of this key: prefix, name or id.',
  }),
  operation: Flags.string({ helpValue: 'ID', description: 'Only this operation, such as orders.create, or those that begin with orders.' }),
  since: Flags.string({ helpValue: '2h|TIME', description: 'Only requests since this time ago or time. Local time without an offset.' }),
  'request-id': Flags.string({ helpValue: 'ID', description: 'Only the request with this id, that of its response and of the log.' }),
  tenant: tenantFlag,
};

const STATUS = /^[1-5](?:\d\d|xx)$/iu;

/** Returns whether a request passes the filters. */
export async function createRequestFilter(context: AdminContext): Promise<(row: FollowedRequest) => boolean> {
  const flags = context.flags as { status?: readonly string[]; key?: string; operation?: string; since?: string; 'request-id'?: string };
  const { status, key, operation, since, 'request-id': id } = flags;
  const statuses = status ?? [];
  const wrong = statuses.find((text) => !STATUS.test(text));
  if (wrong !== undefined) throw usageError(`Invalid --status "${wrong}". Expected a status such as 404, or a class such as 5xx`);
  if (operation !== undefined && !(await import('../../contract/index.ts')).namesOperations(operation))
    throw usageError(`No operation begins with "${operation}"`, 'List the operations with `stockroom openapi`');
  const keyIds = key === undefined ? undefined : await findKeyIds(context, key);
  const from = since === undefined ? '' : await parseInstant(since, () => context.session.getServiceTime(), '--since');
  return (row) =>
    row.at >= from &&
    (id === undefined || row.requestId === id) &&
    (statuses.length === 0 || statuses.some((text) => matchesStatus(row, text))) &&
    (keyIds === undefined || keyIds.has(row.keyId ?? '') || row.keyPrefix === key) &&
    (operation === undefined || row.operationId?.startsWith(operation) === true);
}

const matchesStatus = ({ status }: FollowedRequest, text: string): boolean =>
  status !== null && new RegExp(`^${text.replaceAll(/x/giu, '\\d')}$`, 'u').test(String(status));

/** Several keys may have the same name. */
async function findKeyIds(context: AdminContext, typed: string): Promise<ReadonlySet<string>> {
  const client = await context.session.connect();
  const { query } = await toRequestParts({ ...context, flags: { tenant: context.flags['tenant'] } }, listKeys);
  const search = typed.startsWith('pk_') ? {} : { search: typed };
  const { data } = (await client.perform(listKeys, { query: { ...query, ...search, page_size: 200 } })).body;
  const found = data.filter(({ id, name, prefix }) => [id, name.toLowerCase(), prefix].includes(typed.toLowerCase()) || id === typed);
  // Keys that were removed have requests, too.
  if (found.length === 0 && !isId(typed) && !typed.startsWith('pk_'))
    throw new Failure('NOT_FOUND', `No key with the name "${typed}"`, { hint: 'List them with `stockroom keys list`' });
  return new Set([typed, ...found.map(({ id }) => id)]);
}
