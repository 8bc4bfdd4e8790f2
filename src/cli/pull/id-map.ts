/** What was copied already: which record here is which record there, appended as it happens, so that a pull can go on and be repeated. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { whyUnreadable } from '../../client/reasons.ts';
import { toFailure } from '../export-file.ts';
import { usage } from '../failure.ts';

export const KINDS = ['contacts', 'items', 'recipes', 'suppliers', 'orders'] as const;
export type Kind = (typeof KINDS)[number];

interface Copied {
  /** The id here. */
  readonly id: string;
  /** `updatedAt` of the record there when it was copied. */
  readonly at: string;
}

export interface PullState {
  readonly source: string;
  readonly organization: string;
  readonly tenant: string;
  /** The key that the copies are made with: idempotency belongs to a key, so a pull that goes on needs the same. */
  readonly key: string;
  readonly keyId: string;
}

export interface IdMap {
  readonly state: PullState | undefined;
  get(kind: Kind, there: string): Copied | undefined;
  /** The record there that this one here is a copy of. */
  origin(kind: Kind, here: string): string | undefined;
  add(kind: Kind, there: string, copied: Copied): void;
  /** Begins a map, or replaces the state of one. */
  begin(state: PullState): void;
  forget(): void;
}

/** One line of JSON each: the state, then `[kind, there, here, at]`; of two about the same record the later counts. */
export function openIdMap(path: string): IdMap {
  const copies = new Map<Kind, Map<string, Copied>>(KINDS.map((kind) => [kind, new Map<string, Copied>()]));
  const origins = new Map<string, string>();
  const keep = (kind: Kind, there: string, copied: Copied) => {
    copies.get(kind)?.set(there, copied);
    origins.set(`${kind} ${copied.id}`, there);
  };
  let state: PullState | undefined;
  for (const line of linesOf(path)) {
    const entry = line as PullState | [Kind, string, string, string];
    if (Array.isArray(entry)) keep(entry[0], entry[1], { id: entry[2], at: entry[3] });
    else state = entry;
  }
  return {
    get state() {
      return state;
    },
    get: (kind, there) => copies.get(kind)?.get(there),
    origin: (kind, here) => origins.get(`${kind} ${here}`),
    add(kind, there, copied) {
      keep(kind, there, copied);
      writing(path, () => appendFileSync(path, `${JSON.stringify([kind, there, copied.id, copied.at])}\n`));
    },
    begin(begun) {
      state = begun;
      const lines = [...copies].flatMap(([kind, map]) => [...map].map(([there, { id, at }]) => JSON.stringify([kind, there, id, at])));
      writing(path, () => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(path, [JSON.stringify(begun), ...lines, ''].join('\n'), { mode: 0o600 });
      });
    },
    forget: () => rmSync(path, { force: true }),
  };
}

/** A pull that cannot remember what it copied ends; what it did not write down is found again by its idempotency key. */
function writing(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    toFailure(path, 'what was copied already stands in this file: mend that, and pull again')(error);
  }
}

function linesOf(path: string): unknown[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw usage(
      `${path} cannot be read: ${whyUnreadable(error)}`,
      'what was copied already stands in this file: make it readable, or remove it and the tenant that was pulled',
    );
  }
  // What a crash left of a last line was never counted as copied.
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean);
  if (!text.endsWith('\n')) writing(path, () => writeFileSync(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 }));
  try {
    return lines.map((line) => JSON.parse(line) as unknown);
  } catch {
    throw usage(`${path} is damaged`, 'remove it, and the tenant that was pulled, and pull again');
  }
}
