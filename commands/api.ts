import { Args, Flags } from '@oclif/core';
import type { Reply } from '../src/client/client.ts';
import { type CursorBody, type ListBody, NotAList, walk } from '../src/client/pages.ts';
import { queryText } from '../src/client/request.ts';
import { ApiCommand } from '../src/cli/api-command.ts';
import { bodyOf, writeFlags } from '../src/cli/body.ts';
import { usage } from '../src/cli/failure.ts';
import type { Format } from '../src/cli/formats.ts';
import type { Page } from '../src/cli/printer.ts';

/** Formats that need no columns known before the first row. */
const PAGED_FORMATS: readonly Format[] = ['json', 'ndjson', 'yaml', 'id'];
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

export default class Api extends ApiCommand {
  static override summary = 'Send any request with your address and key';
  static override description = 'Prints the body as JSON, also in a pipe. POST and PATCH get an idempotency key of their own.';
  static override args = {
    method: Args.string({ required: true, ignoreStdin: true, description: METHODS.join(', ') }),
    path: Args.string({ required: true, ignoreStdin: true, description: 'Such as /v1/items; the leading slash may be left out.' }),
  };
  static override flags = {
    query: Flags.string({
      char: 'q',
      helpValue: 'NAME=VALUE',
      multiple: true,
      multipleNonGreedy: true,
      description: 'A query parameter. Repeatable.',
    }),
    paginate: Flags.boolean({ description: 'Follow the pages of a list to the end.' }),
    include: Flags.boolean({ char: 'i', description: 'Also print the status line and the headers.', exclusive: ['paginate'] }),
    ...writeFlags,
  };
  static override examples = [
    '<%= config.bin %> api GET /v1/items -q search=bolt -q page_size=5',
    '<%= config.bin %> api GET /v1/items --paginate -o ndjson',
    `<%= config.bin %> api POST /v1/items --data '{"name":"Hex bolt M6"}' -i`,
  ];

  protected override get format(): Format {
    return this.globals.output ?? 'json';
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Api);
    const method = args.method.toUpperCase();
    if (!METHODS.some((known) => known === method)) throw usage(`"${args.method}" is no method of the API`, `one of ${METHODS.join(', ')}`);
    const typed = args.path.startsWith('/') ? args.path : `/${args.path}`;
    // Blanks and letters beyond ASCII stand in no address as they are.
    const path = typed.replaceAll(/[^\u0021-\u007e]+/gu, encodeURIComponent) + queryOf(flags.query ?? []);
    if (args.path.includes('?') && flags.query) throw usage('the query stands both in the path and in --query');
    const hasBody = flags.data !== undefined || flags.set !== undefined;
    if (flags.paginate && method !== 'GET') throw usage('--paginate is for GET');
    if (flags.paginate && hasBody) throw usage('--paginate sends no body', 'leave --data and --set out; filters go into --query');
    const body =
      hasBody || method === 'POST' || method === 'PATCH'
        ? JSON.stringify(await bodyOf({}, { data: flags.data, set: flags.set }))
        : undefined;
    if (flags['dry-run']) {
      await this.out.write(`${method} ${path}\n${body === undefined ? '' : `${body}\n`}`);
      return;
    }
    const client = await this.connect();
    if (flags.paginate) {
      if (!PAGED_FORMATS.includes(this.format))
        throw usage(`--paginate prints ${PAGED_FORMATS.join(', ')}`, 'use -o ndjson for one record per line');
      try {
        await this.printPages(pagesOf(walk(client, path)), { fields: [], columns: [] });
      } catch (error) {
        throw error instanceof NotAList ? usage(error.message, 'leave --paginate out') : error;
      }
      return;
    }
    const key = flags['idempotency-key'];
    const request = { method, path, ...(body === undefined ? {} : { body }) };
    const reply = await client.send(request, key === undefined ? {} : { idempotencyKey: key });
    if (flags.include) await this.out.write(headText(reply));
    if (reply.text !== '') await this.printReply(reply);
  }

  private async printReply({ body, text }: Reply): Promise<void> {
    const { data } = (body ?? {}) as { data?: unknown };
    const first: unknown = Array.isArray(data) ? data[0] : (data ?? body);
    const fields = typeof first === 'object' && first !== null ? Object.keys(first) : [];
    if (Array.isArray(data)) await this.printList({ data }, { fields, columns: fields }, text);
    else await this.printOne({ data: data ?? body }, { fields, columns: fields }, text);
  }
}

async function* pagesOf(bodies: AsyncIterable<ListBody | CursorBody>): AsyncGenerator<Page> {
  for await (const { data, pagination } of bodies) yield { rows: data, ...('total' in pagination ? { total: pagination.total } : {}) };
}

/** Every pair as it was typed: of a name that stands twice the service says what it thinks. */
function queryOf(pairs: readonly string[]): string {
  const texts = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw usage(`--query ${pair} is not of the form name=value`);
    return queryText({ [pair.slice(0, at)]: pair.slice(at + 1) }).slice(1);
  });
  return texts.length === 0 ? '' : `?${texts.join('&')}`;
}

const headText = ({ status, headers }: Reply): string =>
  `HTTP ${String(status)}\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value ?? ''}\n`)
    .join('')}\n`;
