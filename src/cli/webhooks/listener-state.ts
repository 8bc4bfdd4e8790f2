/**
 * What `webhooks listen` keeps between runs, in a file that is appended to, so that a killed process loses nothing.
 * Concurrent listeners have files of their own, so that none of them considers the endpoint of another as left behind.
 */
import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DELIVERY_LOG_MAX_ROWS } from '../../contract/limits.ts';
import { type Env, getConfigDirectory } from '../../platform/local-paths.ts';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { replaceFile } from '../../platform/own-files.ts';
import { hasProcessEnded } from '../../platform/process-ended.ts';
import { UnreadableFile, UnwritableFile, parseSaved, readSaved } from '../../client/settings/profiles.ts';
import { usageError } from '../errors/failure.ts';

export type ListenerState = ReturnType<typeof openListenerState>;

/** The first line of a file. */
interface Run {
  readonly endpoint: string | null;
  readonly since: string;
  /** Process id while the listener runs; absent in files of earlier versions. */
  readonly pid?: number | null;
  /** Directory of the project; absent in files of earlier versions. */
  readonly project?: string;
}

interface RunOptions {
  readonly env: Env;
  /** Distinguishes profiles and services. */
  readonly name: string;
  readonly project: string;
  /** Whether to continue the last run. */
  readonly resume: boolean;
}

interface Saved {
  readonly path: string;
  readonly run: Run;
  readonly ids: readonly string[];
}

/**
 * Opens the state of a project: one line for the run and one per handled event. The file then belongs to this process; its content
 * stays until `begin`. Throws a usage error if `resume` is set and the run to resume still listens.
 */
export function openListenerState({ env, name, project, resume }: RunOptions) {
  const getPath = (number: number) => join(getConfigDirectory(env), `listen-${name}${number === 1 ? '' : `+${String(number)}`}.ndjson`);
  const files: Saved[] = [];
  for (let file = read(getPath(1)); file !== undefined; file = read(getPath(files.length + 1))) files.push(file);
  const own = files.filter(({ run }) => (run.project ?? project) === project);
  const [first] = own;
  if (resume && first && isAlive(first.run)) {
    throw usageError(`Nothing to resume: process ${String(first.run.pid)} is still listening`, 'Stop it first, or omit --since');
  }
  const found = own.find(({ run }) => !isAlive(run)) ?? { path: getPath(files.length + 1), run: { endpoint: null, since: '' }, ids: [] };
  const { path, ids } = found;
  const left = files.filter((file) => file !== found && wasKilled(file.run));
  let run: Run = { ...found.run, pid: process.pid, project };
  const handled = new Set(resume ? ids.slice(-DELIVERY_LOG_MAX_ROWS) : []);
  const known = resume && run.since !== '';
  write({ path, run, ids });
  const save = () => write({ path, run, ids: [...handled] });
  return {
    /** The endpoint of the last run in this project. */
    get endpoint() {
      return run.endpoint;
    },
    /** Whether the last run could not disable its endpoint. */
    wasKilled: wasKilled(found.run),
    /** Endpoints that killed listeners with other files left active. */
    leftoverEndpoints: left.map((file) => String(file.run.endpoint)),
    /** Every event since this time was handled or will be delivered. */
    get since() {
      return run.since;
    },
    /** Whether an event was handled. For polled deliveries the id is that of the delivery. */
    has: (eventId: string) => handled.has(eventId),
    add(eventId: string): void {
      handled.add(eventId);
      try {
        appendFileSync(path, `${eventId}\n`);
      } catch (error) {
        throw new UnwritableFile(path, error);
      }
    },
    begin(endpoint: string | null, since: string): void {
      run = { ...run, endpoint, since: known ? run.since : since };
      save();
    },
    /** Records that the leftover endpoints were disabled. */
    clearLeftovers(): void {
      // Another listener may have taken over the file.
      for (const file of left) if (read(file.path)?.run.pid === file.run.pid) write({ ...file, run: { ...file.run, pid: null } });
    },
    /** Records that the run ended and its endpoint was disabled. */
    end(): void {
      run = { ...run, pid: null };
      save();
    },
  };
}

function read(path: string): Saved | undefined {
  const text = readSaved(path);
  if (text === undefined) return undefined;
  const [head = '', ...ids] = text.split('\n').filter((line) => line !== '');
  return { path, run: head === '' ? { endpoint: null, since: '' } : parseRun(path, head), ids };
}

function parseRun(path: string, head: string): Run {
  const run = parseSaved<Partial<Run>>(path, head);
  if (typeof run.since !== 'string' || (run.endpoint !== null && typeof run.endpoint !== 'string'))
    throw new UnreadableFile(path, 'the first line is invalid');
  return run as Run;
}

/** Replaces the file atomically. */
function write({ path, run, ids }: Saved): void {
  try {
    createPrivateDirectory(dirname(path));
    replaceFile(path, `${[JSON.stringify(run), ...ids].join('\n')}\n`);
  } catch (error) {
    throw new UnwritableFile(path, error);
  }
}

/** Whether a run ended without disabling its endpoint. Files of earlier versions without a process id have one only then. */
const wasKilled = (run: Run): boolean => run.endpoint !== null && run.pid !== null && !isAlive(run);

/** Whether another process still runs. The id of this process in a file is that of an earlier one, as in a restarted container. */
const isAlive = ({ pid = null }: Run): boolean => pid !== null && pid !== process.pid && !hasProcessEnded(pid);
