/** Short names made from long ones: a slug from a tenant's name, a code from a site's. */

/** Lower-case letters and digits with single hyphens, at most `max` characters; `otherwise` when nothing is left. */
export function slugOf(name: string, max: number, otherwise: string): string {
  const text = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/gu, '-');
  return trimmed(trimmed(text).slice(0, max)) || otherwise;
}

/** The name, or the name with the first number behind it that nobody has. */
export async function firstFree(name: string, max: number, isTaken: (candidate: string) => Promise<boolean>): Promise<string> {
  let candidate = name;
  for (let n = 2; await isTaken(candidate); n += 1) {
    const suffix = `-${String(n)}`;
    candidate = trimmed(name.slice(0, max - suffix.length)) + suffix;
  }
  return candidate;
}

const trimmed = (text: string): string => text.replaceAll(/^-+|-+$/gu, '');
