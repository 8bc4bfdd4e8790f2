/** Citations such as `D-8` or `W-9` in comments must lead somewhere: to a heading below docs/. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*/gu;
const CITATION = /(?<![\w-])[ACDSTW]-\d+(?:\.\d+)?(?![\w-])/gu;
/** Documents that are not part of the repository. */
const OUTSIDE = /decisions-(?:api|domain)|\bD §\d|[Cc]ontract,? (?:parts?|section) \d/u;

const sources = globSync('{src,commands,bin,test}/**/*.{ts,tsx,js}', { cwd: root }).map((path) => ({
  path,
  comments: readFileSync(join(root, path), 'utf8').match(COMMENT) ?? [],
}));
const headings = new Set(
  globSync('docs/*.md', { cwd: root }).flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/^#+ ([ACDSTW]-\d+(?:\.\d+)?) /gmu)].map(([, id]) => id!),
  ),
);

describe('comments', () => {
  test('cite only headings that exist below docs/', () => {
    const citations = sources.flatMap(({ path, comments }) =>
      comments.flatMap((comment) => [...comment.matchAll(CITATION)].map(([id]) => ({ path, id }))),
    );
    expect(citations.length).toBeGreaterThan(100);
    expect(citations.filter(({ id }) => !headings.has(id))).toEqual([]);
  });

  test('cite no document outside the repository', () => {
    expect(sources.filter(({ comments }) => comments.some((comment) => OUTSIDE.test(comment))).map(({ path }) => path)).toEqual([]);
  });
});
