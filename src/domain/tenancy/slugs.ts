/** Identifiers derived from names: a tenant's slug, a site's code. */

/** Lower-case letters and digits with single hyphens, at most `max` characters; `fallback` if none are left. */
export function toSlug(name: string, max: number, fallback: string): string {
  const text = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/gu, '-');
  return trimHyphens(trimHyphens(text).slice(0, max)) || fallback;
}

/** The name, or the name with the first number from 2 that makes it free. At most `max` characters. */
export async function findFreeSlug(name: string, max: number, isTaken: (candidate: string) => Promise<boolean>): Promise<string> {
  let candidate = name;
  for (let n = 2; await isTaken(candidate); n += 1) {
    const suffix = `-${String(n)}`;
    candidate = trimHyphens(name.slice(0, max - suffix.length)) + suffix;
  }
  return candidate;
}

const trimHyphens = (text: string): string => text.replaceAll(/^-+|-+$/gu, '');
