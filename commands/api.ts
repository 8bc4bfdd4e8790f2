import { defineCommand } from '../src/cli/command/define-command.ts';
import { usageError } from '../src/cli/errors/failure.ts';
import { repeatable } from '../src/cli/input/common-flags.ts';
import { readRequestBody, writeFlags } from '../src/cli/input/request-body.ts';
import type { Format } from '../src/cli/output/formats.ts';
import type { Output } from '../src/cli/command-output.ts';
import type { Page } from '../src/cli/output/printer.ts';
import { printRequest } from '../src/cli/records/write-record.ts';
import { apiAccess } from '../src/cli/session/api-session.ts';
import type { Reply } from '../src/client/client.ts';
import type { ListBody } from '../src/client/lists/complete-list.ts';
import { type CursorBody, followPagination, NotAList } from '../src/client/lists/pages.ts';
import { METHODS } from '../src/contract/operation.ts';
import { toQueryString } from '../src/client/request.ts';
import { Args, Flags } from '@oclif/core';

/** Formats that can be printed without knowing the columns in advance. */
const PAGED_FORMATS: readonly Format[] = ['json', 'ndjson', 'yaml', 'id'];

export default defineCommand({
  access: apiAccess,
  summary: 'Send an API request with your profile and key',
  description: 'Prints the response body as JSON. POST and PATCH requests get a generated idempotency key.',
  args: {
    method: Args.string({ required: true, description: METHODS.join(', ') }),
    path: Args.string({ required: true, description: 'For example /v1/items; the leading slash is optional.' }),
  },
  flags: {
    query: Flags.string({ char: 'q', helpValue: 'NAME=VALUE', ...repeatable, description: 'Query parameter. Repeatable.' }),
    paginate: Flags.boolean({ description: 'Fetch all pages of a list.' }),
    strict: Flags.boolean({ description: 'Reject what the given contract does not have, before sending.' }),
    include: Flags.boolean({ char: 'i', description: 'Also print the status line and response headers.', exclusive: ['paginate'] }),
    ...writeFlags,
  },
  examples: [
    'api GET /v1/items -q search=bolt -q page_size=5',
    'api GET /v1/items --paginate -o ndjson',
    `api POST /v1/items --data '{"name":"Hex bolt M6"}' -i`,
  ],
  async run(context) {
    const { args, flags, session } = context;
    const output = context.output.withFormat(flags.output ?? 'json');
    const method = args.method.toUpperCase();
    if (!METHODS.some((known) => known === method))
      throw usageError(`Invalid METHOD "${args.method}"`, `Valid methods: ${METHODS.join(', ')}`);
    const typed = args.path.startsWith('/') ? args.path : `/${args.path}`;
    // Spaces and non-ASCII characters must be encoded in a URL.
    const path = typed.replaceAll(/[^\u0021-\u007e]+/gu, encodeURIComponent) + buildQuery(flags.query ?? []);
    if (args.path.includes('?') && flags.query) throw usageError('Pass the query either in PATH or with --query, not both');
    const hasBody = flags.data !== undefined || flags.set !== undefined;
    if (flags.paginate && method !== 'GET') throw usageError('--paginate requires GET');
    if (flags.paginate && hasBody) throw usageError('--paginate cannot be combined with --data or --set', 'Pass filters with --query');
    const body =
      hasBody || method === 'POST' || method === 'PUT' || method === 'PATCH'
        ? JSON.stringify(await readRequestBody({}, { data: flags.data, set: flags.set }))
        : undefined;
    if (flags.strict) (await import('../src/cli/input/strict-request.ts')).checkStrictRequest(method, path, body);
    if (flags['dry-run']) {
      // A response is JSON by default, a request is not.
      await printRequest(context.output, { method, path, body });
      return;
    }
    const client = await session.connect();
    if (flags.paginate) {
      if (!PAGED_FORMATS.includes(output.format))
        throw usageError(`--paginate supports only -o ${PAGED_FORMATS.join(', ')}`, 'Use -o ndjson for one record per line');
      try {
        await output.printPages(toPages(followPagination(client, path)), { fields: [], columns: [] });
      } catch (error) {
        throw error instanceof NotAList ? usageError(error.message, 'Omit --paginate') : error;
      }
      return;
    }
    const reply = await client.send({ method, path, body }, { idempotencyKey: flags['idempotency-key'] });
    if (flags.include) await output.write(formatHead(reply));
    if (reply.text !== '') await printResponse(output, reply);
  },
});

async function printResponse(output: Output, { body, text }: Reply): Promise<void> {
  const { data } = (body ?? {}) as { data?: unknown };
  const first: unknown = Array.isArray(data) ? data[0] : (data ?? body);
  const fields = typeof first === 'object' && first !== null ? Object.keys(first) : [];
  if (Array.isArray(data)) await output.printList({ data }, { fields, columns: fields }, text);
  else await output.printOne({ data: data ?? body }, { fields, columns: fields }, text);
}

async function* toPages(bodies: AsyncIterable<ListBody | CursorBody>): AsyncGenerator<Page> {
  for await (const { data, pagination } of bodies) yield { rows: data, ...('total' in pagination ? { total: pagination.total } : {}) };
}

/** Builds the query string from all pairs as given. The service decides whether a repeated name is valid. */
function buildQuery(pairs: readonly string[]): string {
  const texts = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw usageError(`Invalid --query "${pair}". Expected NAME=VALUE`);
    return toQueryString({ [pair.slice(0, at)]: pair.slice(at + 1) }).slice(1);
  });
  return texts.length === 0 ? '' : `?${texts.join('&')}`;
}

const formatHead = ({ status, headers }: Reply): string =>
  `HTTP ${String(status)}\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value ?? ''}\n`)
    .join('')}\n`;
