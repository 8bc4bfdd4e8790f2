/** Compares the replies of two services to the same request: not their data, but what a program relies on. Pure. */
import type { HttpReply } from '../client/transport/transport.ts';
import { IDEMPOTENT_REPLAYED, RATE_LIMIT } from '../contract/headers.ts';

export interface Difference {
  readonly what: string;
  readonly expected: string;
  readonly got: string;
}

/** Headers that a reply has or has not. */
const HEADERS = ['location', 'www-authenticate', IDEMPOTENT_REPLAYED, ...Object.values(RATE_LIMIT)];
/** Their values are of one service. */
export const OWN_FIELDS =
  /(?:^|\.)(?:id|\w+Id|\w+Ids\[\]|orderNumber|documentNumber|\w+At|\w+Date|signingSecret|requestId|message|details\.examples\..*|site\.name|createdBy.*)$/u;

/** `isOwnRecord`: the reply shows a record that the probe has made, so its values count, too. */
export function compareReplies(expected: HttpReply, got: HttpReply, isOwnRecord: boolean): readonly Difference[] {
  if (expected.status !== got.status) return [differ('status', describeStatus(expected), describeStatus(got))];
  const headers = HEADERS.flatMap((name) => {
    const [before, after] = [expected, got].map((reply) => (reply.headers[name.toLowerCase()] === undefined ? 'absent' : 'present'));
    return before === after ? [] : [differ(`header ${name}`, before!, after!)];
  });
  const [left, right] = [parseReply(expected.text), parseReply(got.text)];
  return [...headers, ...(expected.status < 400 ? compareValues(left, right, isOwnRecord) : compareErrors(left, right))];
}

const differ = (what: string, expected: string, got: string): Difference => ({ what, expected, got });

function describeStatus({ status, text }: HttpReply): string {
  const code = getError(parseReply(text)).code;
  return code === undefined ? String(status) : `${String(status)} ${code}`;
}

interface ErrorShape {
  readonly code?: string;
  readonly fields?: readonly { readonly in?: string; readonly path?: string; readonly code?: string }[];
}
const getError = (body: unknown): ErrorShape => (body as { error?: ErrorShape } | undefined)?.error ?? {};

function compareErrors(left: unknown, right: unknown): readonly Difference[] {
  const [expected, got] = [getError(left), getError(right)];
  if (expected.code !== got.code) return [differ('error.code', String(expected.code), String(got.code))];
  const [before, after] = [expected, got].map(({ fields = [] }) =>
    fields
      .map((field) => `${String(field.in)} ${String(field.path)}`)
      .toSorted()
      .join(', '),
  );
  if (before !== after) return [differ('error.fields', before!, after!)];
  // The contract does not say which records a rejection names.
  return compareShapes(left, right).filter(({ what }) => !what.startsWith('error.details.examples'));
}

/** The shape, and the values unless they are the data of a service. */
function compareValues(left: unknown, right: unknown, isOwnRecord: boolean): readonly Difference[] {
  const shapes = compareShapes(left, right);
  if (!isOwnRecord || shapes.length > 0) return shapes;
  const [before, after] = [listLeaves(left), listLeaves(right)];
  return [...before].flatMap(([path, value]) => {
    const other = after.get(path);
    return OWN_FIELDS.test(path) || other === value ? [] : [differ(path, String(value), String(other))];
  });
}

function compareShapes(left: unknown, right: unknown): readonly Difference[] {
  const [before, after] = [listTypes(left, '', new Map()), listTypes(right, '', new Map())];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [expected, got] = [before.get(path), after.get(path)];
    // Within a list without rows, or below null, nothing is known.
    if (expected === undefined) return isUnknown(path, before) ? [] : [differ(path, 'absent', got!)];
    if (got === undefined) return isUnknown(path, after) ? [] : [differ(path, expected, 'absent')];
    return toKind(expected) === toKind(got) || expected === 'null' || got === 'null' ? [] : [differ(path, expected, got)];
  });
}

const toKind = (type: string): string => (type === 'empty list' ? 'list' : type);

/** Types by path: `data[].id`. The first type other than null counts for the rows of a list. */
function listTypes(value: unknown, path: string, types: Map<string, string>): Map<string, string> {
  const type = value === null ? 'null' : Array.isArray(value) ? (value.length === 0 ? 'empty list' : 'list') : typeof value;
  const known = types.get(path);
  if (known === undefined || known === 'null' || known === 'empty list') types.set(path, type);
  if (Array.isArray(value)) for (const entry of value) listTypes(entry, `${path}[]`, types);
  else if (typeof value === 'object' && value !== null)
    for (const [name, entry] of Object.entries(value)) listTypes(entry, path === '' ? name : `${path}.${name}`, types);
  return types;
}

function isUnknown(path: string, types: ReadonlyMap<string, string>): boolean {
  for (let parent = path; parent !== '';) {
    parent = parent.replace(/(?:\.?[^.[\]]+|\[\])$/u, '');
    const type = types.get(parent);
    if (type !== undefined) return type === 'null' || type === 'empty list';
  }
  return false;
}

function listLeaves(value: unknown, path = '', leaves = new Map<string, unknown>()): Map<string, unknown> {
  if (Array.isArray(value)) for (const [at, entry] of value.entries()) listLeaves(entry, `${path}[${String(at)}]`, leaves);
  else if (typeof value === 'object' && value !== null)
    for (const [name, entry] of Object.entries(value)) listLeaves(entry, path === '' ? name : `${path}.${name}`, leaves);
  else leaves.set(path.replaceAll(/\[\d+\]/gu, '[]'), value);
  return leaves;
}

export function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === '' ? undefined : { text };
  }
}
