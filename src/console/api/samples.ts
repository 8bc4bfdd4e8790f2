/** A request as curl, as a command and in TypeScript. */
import { toRequest } from '../../client/request.ts';
import { type Operation, isIdempotent } from '../../contract/operation.ts';
import { toFlagName } from '../../cli/flag-name.ts';
import { getCommandId } from '../../cli/operation-commands.ts';
import type { AnyParts } from './client.ts';

export interface Sample {
  readonly op: Operation;
  readonly parts: AnyParts;
}

export function toCurl({ op, parts }: Sample, base: string): string {
  const { path, body } = toRequest(op, parts);
  const isAdmin = path.startsWith('/admin/');
  const target = isAdmin ? `--unix-socket ~/.local/share/stockroom/admin.sock ${quote(`http://localhost${path}`)}` : quote(base + path);
  return [
    `curl ${op.method === 'GET' ? '' : `-X ${op.method} `}${target}`,
    ...(isAdmin ? [] : ['-H "X-API-Key: $STOCKROOM_API_KEY"']),
    ...(isAdmin || !isIdempotent(op) ? [] : ['-H "Idempotency-Key: $(uuidgen)"']),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quote(body)}`]),
  ].join(' \\\n  ');
}

export function toCommand({ op, parts: { params = {}, query = {}, body } }: Sample): string {
  const flags = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !(name === 'include' || name === 'tenant'))
    .map(([name, value]) =>
      value === true || value === 'true' ? `--${toFlagName(name)}` : `--${toFlagName(name)} ${quote(String(value))}`,
    );
  const data = isEmpty(body) ? [] : [`--data ${quote(JSON.stringify(body))}`];
  return ['npx stockroom', getCommandId(op).replaceAll(':', ' '), ...Object.values(params).map(quote), ...flags, ...data].join(' ');
}

const isEmpty = (body: unknown): boolean =>
  body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);

export function toTypeScript({ op, parts: { params = {}, query, body } }: Sample, base: string): string {
  if (op.path.startsWith('/admin/')) return '// The admin API has no published client: use the command.';
  const method = op.id.split('.').map((part) => part.replaceAll(/[_-](\w)/gu, (_all, letter: string) => letter.toUpperCase()));
  const given = query && Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
  const args = [
    ...Object.values(params).map((value) => JSON.stringify(value)),
    ...(op.body ? [toLiteral(body ?? {})] : []),
    ...(op.query && !isEmpty(given) ? [toLiteral(op.body ? { query: given } : given)] : []),
  ];
  return [
    "import { stockroomClient } from 'stockroom/client';",
    '',
    `await using client = stockroomClient({ url: '${base}', apiKey: process.env['STOCKROOM_API_KEY'] });`,
    `const result = await client.${method.join('.')}(${args.join(', ')});`,
  ].join('\n');
}

const toLiteral = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll(/"([A-Za-z_]\w*)":/gu, '$1:');

/** For a POSIX shell. */
const quote = (text: string): string => (/^[\w./:=@,+-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);
