/** Links of Markdown documents to files beside them. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gmu;
const TARGET = /\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)/gmu;

/** The links of a document below `root` that lead to no file below it, each as `DOCUMENT: TARGET`. Absolute URLs are not opened. */
export function findDeadLinks(root: string, document: string): string[] {
  const text = readFileSync(join(root, document), 'utf8').replace(CODE, '');
  const targets = [...text.matchAll(TARGET)].map(([, inline, reference]) => inline ?? reference ?? '');
  return targets.filter((target) => !resolves(root, document, target)).map((target) => `${document}: ${target}`);
}

function resolves(root: string, document: string, target: string): boolean {
  if (/^https?:\/\//u.test(target) || target.startsWith('#')) return true;
  const path = join(dirname(document), target.replace(/#.*$/u, ''));
  return !path.startsWith('..') && existsSync(join(root, path));
}
