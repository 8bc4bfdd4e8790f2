/** Finds query parameters that are not percent-encoded UTF-8. A-2. */
import type { FieldProblem } from '../../contract/errors.ts';
import { PROBLEMS_MAX } from '../../contract/limits.ts';
import { toPointer } from '../../contract/schema/json-pointer.ts';

/** Node's parser keeps a broken escape as it is and replaces bytes that are no UTF-8, so the value would be another than the client meant. */
export function findBrokenEscapes(url: string): readonly FieldProblem[] {
  const [, query = ''] = /\?([^#]*)/u.exec(url) ?? [];
  if (isDecodable(query)) return [];
  const broken = query.split('&').filter((parameter) => !isDecodable(parameter));
  const names = new Set(broken.map((parameter) => decodeName(parameter.split('=', 1)[0] ?? '')));
  return [...names].slice(0, PROBLEMS_MAX).map((name) => ({
    in: 'query',
    path: toPointer([name]),
    code: 'bad_format',
    message: `${name} must be percent-encoded UTF-8, with %25 for a percent sign`,
  }));
}

const decodeName = (name: string): string => (isDecodable(name) ? decodeURIComponent(name) : name);

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
