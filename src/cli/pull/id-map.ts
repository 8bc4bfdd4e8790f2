/** Maps remote records to their local copies in a file that is appended to, so that a pull can be resumed and repeated. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { replaceFile } from '../../platform/own-files.ts';
import { explainReadError } from '../../client/settings/file-errors.ts';
import { rethrowWriteError } from '../bulk/files/export-file.ts';
import { usageError } from '../errors/failure.ts';
import type { SourceRecord } from './source.ts';

export const KINDS = ['contacts', 'items', 'recipes', 'suppliers', 'orders'] as const;
export type Kind = (typeof KINDS)[number];

interface Copied {
  /** The local id. */
  readonly id: string;
  /** `updatedAt` of the remote record when it was copied. */
  readonly at: string;
}

export interface PullState {
  readonly source: string;
  readonly organization: string;
  readonly tenant: string;
  /** The id of the tenant; empty until it has been created completely. 0.2.0 did not store it, nor the profile. */
  readonly tenantId?: string;
  /** The profile that was created for it; null until then. */
  readonly profile?: string | null;
  /** The API key for writing the copies. Idempotency keys belong to an API key, so a resumed pull needs the same one. */
  readonly key: string;
  readonly keyId: string;
}

export type IdMap = ReturnType<typeof openIdMap>;

/** The version of a remote record. */
export const getVersion = ({ updatedAt = '' }: SourceRecord): string => updatedAt;

/** Whether a remote record was copied in its current version. */
export const isCopiedVersion = (kind: Kind, record: SourceRecord, ids: IdMap): boolean =>
  ids.get(kind, record.id)?.at === getVersion(record);

/** Reads the file: a line of JSON with the state, then lines `[kind, remote id, local id, at]`, of which later ones take precedence. */
export function openIdMap(path: string) {
  const copies = new Map<Kind, Map<string, Copied>>(KINDS.map((kind) => [kind, new Map<string, Copied>()]));
  const origins = new Map<string, string>();
  const remember = (kind: Kind, remoteId: string, copied: Copied) => {
    copies.get(kind)?.set(remoteId, copied);
    origins.set(`${kind} ${copied.id}`, remoteId);
  };
  let state: PullState | undefined;
  for (const line of readLines(path)) {
    const entry = line as PullState | [Kind, string, string, string];
    if (Array.isArray(entry)) remember(entry[0], entry[1], { id: entry[2], at: entry[3] });
    else state = entry;
  }
  return {
    get state(): PullState | undefined {
      return state;
    },
    get: (kind: Kind, remoteId: string) => copies.get(kind)?.get(remoteId),
    /** Returns the remote id of a local copy. */
    getSourceId: (kind: Kind, localId: string) => origins.get(`${kind} ${localId}`),
    add(kind: Kind, remoteId: string, copied: Copied): void {
      remember(kind, remoteId, copied);
      withWriteErrors(path, () => appendFileSync(path, `${JSON.stringify([kind, remoteId, copied.id, copied.at])}\n`));
    },
    /** Creates the file, or replaces the state in it. */
    saveState(newState: PullState): void {
      state = newState;
      const lines = [...copies].flatMap(([kind, map]) =>
        [...map].map(([remoteId, { id, at }]) => JSON.stringify([kind, remoteId, id, at])),
      );
      withWriteErrors(path, () => {
        createPrivateDirectory(dirname(path));
        replaceFile(path, [JSON.stringify(newState), ...lines, ''].join('\n'));
      });
    },
    /** Forgets all copies, whose tenant is gone. The next `saveState` writes that. */
    clear(): void {
      for (const map of copies.values()) map.clear();
      origins.clear();
    },
  };
}

/** Throws a Failure if the file cannot be written. Idempotency keys prevent duplicates of a copy that was not recorded. */
function withWriteErrors(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    rethrowWriteError(path, 'The file records what was copied. Make it writable, then pull again')(error);
  }
}

function readLines(path: string): unknown[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw usageError(
      `Cannot read ${path}: ${explainReadError(error)}`,
      'The file records what was copied. Make it readable, or remove it and the pulled tenant',
    );
  }
  // Removes an incomplete last line of a crashed pull.
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean);
  if (!text.endsWith('\n')) withWriteErrors(path, () => writeFileSync(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 }));
  try {
    return lines.map((line) => JSON.parse(line) as unknown);
  } catch {
    throw usageError(`${path} is damaged`, 'Remove it and the pulled tenant, then pull again');
  }
}
