/** Checks that a request uses nothing but the given contract: `stockroom api --strict`. */
import { OPERATIONS } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { isExtensionPath } from '../../contract/strict.ts';
import { usageError } from '../errors/failure.ts';

/** `path`: with its query. `body`: JSON. Throws a usage error that names the extension; what nobody knows is left to the service. */
export function checkStrictRequest(method: string, path: string, body: string | undefined): void {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const op = (OPERATIONS as readonly Operation[]).find((each) => each.method === method && toPattern(each.path).test(pathname));
  if (op?.extension) throw createError(`${method} ${op.path}`);
  for (const name of searchParams.keys()) if (op?.query?.properties[name]?.extension) throw createError(`The parameter ${name}`);
  const field = listPointers(body === undefined ? {} : (JSON.parse(body) as unknown)).find((pointer) => isExtensionPath(op?.body, pointer));
  if (field !== undefined) throw createError(`The field ${field.slice(1).replaceAll('/', '.')}`);
}

const toPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u');

const createError = (what: string): Error =>
  usageError(`${what} is an extension of stockroom`, 'Omit --strict to use it; docs/supported.md lists what is in the contract');

function listPointers(value: unknown, pointer = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => [
    `${pointer}/${name}`,
    ...listPointers(inner, `${pointer}/${name}`),
  ]);
}
