/** Prints lists. */
import type { Reply } from '../../client/client.ts';
import type { ListBody } from '../../client/lists/complete-list.ts';
import { isUnsupported } from '../../client/errors.ts';
import { iteratePages } from '../../client/lists/pages.ts';
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';
import { getApiError } from '../errors/explained-error.ts';
import { formatCount, formatCountWithNoun } from '../output/numbers.ts';
import type { Output } from '../command-output.ts';
import type { Page, View } from '../output/printer.ts';
import type { ServiceContext } from '../session/session.ts';
import { type ReadParts, getView, resolveInstants, sendRequest, toRequestParts } from './request.ts';

/** Special columns of a list. */
export type ListOptions = Pick<View, 'derived' | 'hiddenIfEmpty' | 'neverTruncated'> & {
  /** Fields that `addFields` adds to the rows. */
  readonly addedFields?: readonly string[];
  /** Adds fields to the rows of a page, from other requests. */
  readonly addFields?: (rows: readonly unknown[]) => Promise<readonly unknown[]>;
  /** Only these rows: every page is read, until there are as many as `--limit`. */
  readonly matches?: (row: never) => boolean;
  /** Parameters that the command adds by itself, without which it works, too. */
  readonly optional?: readonly string[];
};

/** Prints a list: one page, or with `--limit` and `--all` as many pages as necessary. Returns the number of rows. */
export async function listRecords(
  context: ServiceContext,
  op: Operation,
  columns: readonly string[],
  options: ListOptions = {},
): Promise<number> {
  const { output, session } = context;
  const { all, limit, page, 'page-size': pageSize } = context.flags as PagingFlags;
  const { addFields, addedFields = [], matches, optional = [], ...special } = options;
  const own = getView(op, columns);
  const view = output.validateView({ ...own, fields: [...own.fields, ...addedFields], ...special });
  const parts = await toRequestParts(await resolveInstants(context, op), op);
  if (op.query?.properties['page'] === undefined) {
    const { body, text } = (await sendRequest(context, op, parts)) as Reply as Reply<{ data: readonly unknown[] }>;
    const { count } = await output.printList(body, view, text);
    if (count === 0 && output.format !== 'json') output.printNoRows();
    return count;
  }
  if (matches || all || (limit !== undefined && limit > PAGE_SIZE_MAX)) {
    let total = 0;
    const client = await session.connect();
    const read = (sent: ReadParts) => iteratePages(client, op, sent, matches ? undefined : limit);
    const shown = await sendWithOptional(parts, optional, (sent) =>
      output.printPages(
        toPages(read(sent), (body) => (total = body.pagination.total), options, limit),
        view,
      ),
    );
    output.reportHiddenColumns(shown);
    if (!matches) printRowCount(output, { count: shown.count, total, first: 1 });
    else if (shown.count === 0) output.printNoRows();
    else if (process.stdout.isTTY) output.printDimNote(`${formatCount(shown.count)} of ${formatCount(total)} match`);
    return shown.count;
  }
  const reply = await sendWithOptional(parts, optional, (sent) =>
    sendRequest(context, op, { ...sent, query: { ...sent.query, page, page_size: pageSize ?? limit } }),
  );
  const { body, text } = reply as Reply as Reply<ListBody>;
  const printed = addFields ? { ...body, data: await addFields(body.data) } : body;
  const { count } = await output.printList(printed, view, addFields ? JSON.stringify(printed) : text);
  const { pagination } = body;
  const first = (pagination.page - 1) * pagination.pageSize + 1;
  if (output.format !== 'json') printRowCount(output, { count, total: pagination.total, first });
  return count;
}

/** Sends a request, and once more without these parameters if the service does not have them, as one without the extensions of stockroom. */
async function sendWithOptional<T>(parts: ReadParts, names: readonly string[], send: (parts: ReadParts) => Promise<T>): Promise<T> {
  try {
    return await send(parts);
  } catch (error) {
    if (!isUnsupported(getApiError(error), names)) throw error;
    return send({ ...parts, query: Object.fromEntries(Object.entries(parts.query).filter(([name]) => !names.includes(name))) });
  }
}

/** The flags for paging of a list that has pages. */
type PagingFlags = { readonly all?: boolean } & Readonly<Partial<Record<'limit' | 'page' | 'page-size', number>>>;

/** Without the rows that do not match. How many match is not known before the end. */
async function* toPages(
  bodies: AsyncIterable<ListBody>,
  onPage: (body: ListBody) => void,
  { addFields, matches }: ListOptions,
  limit = Infinity,
): AsyncGenerator<Page> {
  let left = limit;
  for await (const body of bodies) {
    onPage(body);
    // Rows of the operation, as the filter of the command expects them.
    const rows = (matches ? body.data.filter((row) => matches(row as never)) : body.data).slice(0, left);
    left -= rows.length;
    if (!matches) yield { rows: addFields ? await addFields(rows) : rows, total: body.pagination.total };
    else if (rows.length > 0) yield { rows };
    if (left === 0) return;
  }
}

/** Reports how many of how many rows were printed, so that a list is never cut silently. */
function printRowCount(output: Output, { count, total, first }: { count: number; total: number; first: number }): void {
  if (total === 0) output.printNoRows();
  else if (count < total) {
    const range = first === 1 ? formatCount(count) : count === 0 ? 'none' : `${formatCount(first)}–${formatCount(first + count - 1)}`;
    output.printDimNote(`${range} of ${formatCount(total)} — use --all for every row`);
  } else if (process.stdout.isTTY) output.printDimNote(formatCountWithNoun(total, 'rows'));
}
