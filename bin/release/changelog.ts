/** The version of a release and its notes. */

export interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

const HEADING = /^## (?<version>\d+\.\d+\.\d+\S*) – \d{4}-\d{2}-\d{2}$/u;

/** Why the tag cannot be released; undefined if it can. */
export function findProblem(tag: string, { version }: Manifest, changelog: string): string | undefined {
  if (tag !== `v${version}`)
    return `The tag is "${tag}", but package.json has the version ${version}. Use v${version}, or change package.json`;
  if (cutNotes(changelog, version) === undefined) return `CHANGELOG.md has no heading "## ${version} – YYYY-MM-DD" with text below it`;
  return undefined;
}

/** What is below the heading of a version; undefined without heading or text. Headings without text, such as of an empty section, are left out. */
export function cutNotes(changelog: string, version: string): string | undefined {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => HEADING.exec(line)?.groups?.['version'] === version);
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  const sections = lines
    .slice(start + 1, length < 0 ? undefined : start + 1 + length)
    .join('\n')
    .split(/^(?=### )/mu)
    .map((section) => section.trim())
    .filter((section) => section !== '' && !/^### .*$/u.test(section));
  return sections.length === 0 ? undefined : `${sections.join('\n\n')}\n`;
}
