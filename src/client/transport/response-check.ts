/** Checks what a service returned, so that a broken or hostile one causes an error that says so. */
import type { AnySchema } from '../../contract/schema/builder.ts';

/**
 * Describes the first part of a body that does not have the form of its schema; undefined if there is none. Missing values, values of
 * enumerations and limits are not checked: a service of another version may differ in them.
 */
export function findMalformedPart(schema: AnySchema, value: unknown): string | undefined {
  const part = findPart(schema, value);
  if (!part) return undefined;
  const path = part.path.toReversed().join('').replace(/^\./u, '');
  return `${path === '' ? 'the body' : path} is ${part.problem}`;
}

interface MalformedPart {
  readonly problem: string;
  /** The steps to it, the last one first: built only when there is a problem. */
  readonly path: string[];
}

function findPart(schema: AnySchema, value: unknown): MalformedPart | undefined {
  if (value === undefined) return undefined;
  if (value === null) return schema.nullable || schema.optional || schema.kind === 'json' ? undefined : createPart('null');
  switch (schema.kind) {
    case 'json':
      return undefined;
    case 'array':
      return Array.isArray(value) ? findEntry(schema.items, value) : createPart('not an array');
    case 'object':
      return isObject(value) ? findProperty(schema.properties, value) : createPart('not an object');
    case 'map':
      return isObject(value) ? undefined : createPart('not an object');
    case 'number':
    case 'boolean':
      return typeof value === schema.kind ? undefined : createPart(`not a ${schema.kind}`);
    default:
      return typeof value === 'string' ? undefined : createPart('not a string');
  }
}

function findEntry(items: AnySchema, entries: readonly unknown[]): MalformedPart | undefined {
  for (let index = 0; index < entries.length; index += 1) {
    const part = findPart(items, entries[index]);
    if (part) return addStep(part, `[${String(index)}]`);
  }
  return undefined;
}

function findProperty(
  properties: Readonly<Record<string, AnySchema>>,
  value: Readonly<Record<string, unknown>>,
): MalformedPart | undefined {
  // Faster than Object.entries, which would create an array for every row.
  for (const name in properties) {
    const schema = properties[name];
    const part = schema && findPart(schema, value[name]);
    if (part) return addStep(part, `.${name}`);
  }
  return undefined;
}

const createPart = (problem: string): MalformedPart => ({ problem, path: [] });

function addStep(part: MalformedPart, step: string): MalformedPart {
  part.path.push(step);
  return part;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether JSON text nests arrays and objects deeper than `depth`. The parser has no limit, but printing and comparing values would overflow. */
export function isNestedDeeper(text: string, depth: number): boolean {
  if (text.length <= 2 * depth) return false;
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at + 1);
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if ((level += 1) > depth) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) level -= 1;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** The position of the quote that ends a string, or the end of the text. */
function findStringEnd(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}
