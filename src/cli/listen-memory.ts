/**
 * What `webhooks listen` remembers between two runs: a file, appended to, so that a kill loses nothing that was written.
 * A listener beside one that still lives has a file of its own, so that neither takes the other's endpoint for left behind.
 */
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EVENT_LOG_MAX_ROWS } from '../contract/limits.ts';
import { type Env, configDirectory } from '../contract/places.ts';
import { whyNoJson, whyUnreadable } from '../client/reasons.ts';
import { NotSaved, SavedFileBroken } from '../client/saved.ts';
import { usage } from './failure.ts';

export interface Memory {
  /** The endpoint of the last run, when that was killed. */
  readonly endpoint: string | null;
  /** Endpoints of killed listeners that had files of their own. */
  readonly left: readonly string[];
  /** Since when every event has been handled or is still to come. */
  readonly since: string;
  /** By event; by delivery where only deliveries are told. */
  has(id: string): boolean;
  add(id: string): void;
  begin(endpoint: string | null, since: string): void;
  /** What `left` names is removed. */
  forgetLeft(): void;
  /** Nothing is left behind. */
  end(): void;
}

/** The first line of a file. */
interface Run {
  readonly endpoint: string | null;
  readonly since: string;
  /** The listener while there is one; absent in files of earlier versions. */
  readonly pid?: number | null;
}

interface Saved {
  readonly path: string;
  readonly run: Run;
  readonly ids: readonly string[];
}

/**
 * One line for the run and one for each handled event. `name` tells the memory of one profile and service from that of another.
 * From now on it is this process's; what it says stays until `begin`.
 */
export function openMemory(env: Env, name: string, goOn: boolean): Memory {
  const pathOf = (place: number) => join(configDirectory(env), `listen-${name}${place === 1 ? '' : `+${String(place)}`}.ndjson`);
  const files: Saved[] = [];
  for (let file = read(pathOf(1)); file !== undefined; file = read(pathOf(files.length + 1))) files.push(file);
  const [first] = files;
  if (goOn && first && isAlive(first.run)) {
    throw usage(
      `process ${String(first.run.pid)} is listening, so there is no last run to go on with`,
      'end it first, or leave out --since',
    );
  }
  const found = files.find(({ run }) => !isAlive(run)) ?? { path: pathOf(files.length + 1), run: { endpoint: null, since: '' }, ids: [] };
  const { path, ids } = found;
  const left = files.filter((file) => file !== found && file.run.endpoint !== null && !isAlive(file.run));
  let run: Run = { ...found.run, pid: process.pid };
  const handled = new Set(goOn ? ids.slice(-EVENT_LOG_MAX_ROWS) : []);
  const known = goOn && run.since !== '';
  write({ path, run, ids });
  const save = () => write({ path, run, ids: [...handled] });
  return {
    get endpoint() {
      return run.endpoint;
    },
    left: left.map((file) => String(file.run.endpoint)),
    get since() {
      return run.since;
    },
    has: (eventId) => handled.has(eventId),
    add(eventId) {
      handled.add(eventId);
      try {
        appendFileSync(path, `${eventId}\n`);
      } catch (error) {
        throw new NotSaved(path, error);
      }
    },
    begin(endpoint, since) {
      run = { ...run, endpoint, since: known ? run.since : since };
      save();
    },
    forgetLeft() {
      // Another listener may have taken the file meanwhile.
      for (const file of left) if (read(file.path)?.run.pid === file.run.pid) write({ ...file, run: { ...file.run, endpoint: null } });
    },
    end() {
      run = { ...run, endpoint: null, pid: null };
      save();
    },
  };
}

function read(path: string): Saved | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SavedFileBroken(path, whyUnreadable(error), error);
  }
  const [head = '', ...ids] = text.split('\n').filter((line) => line !== '');
  return { path, run: head === '' ? { endpoint: null, since: '' } : runOf(path, head), ids };
}

function runOf(path: string, head: string): Run {
  let run: Partial<Run> | null;
  try {
    run = JSON.parse(head) as Partial<Run> | null;
  } catch (error) {
    throw new SavedFileBroken(path, whyNoJson(error), error);
  }
  if (typeof run?.since !== 'string' || (run.endpoint !== null && typeof run.endpoint !== 'string'))
    throw new SavedFileBroken(path, 'its first line is not that of a run');
  return run as Run;
}

/** Whole or not at all. */
function write({ path, run, ids }: Saved): void {
  const draft = `${path}.${String(process.pid)}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${[JSON.stringify(run), ...ids].join('\n')}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new NotSaved(path, error);
  }
}

/** Whether a run goes on in another process: this one's id in a file is that of an earlier process, as in a container that was started again. */
function isAlive({ pid = null }: Run): boolean {
  if (pid === null || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    // One that only waits to be reaped has ended.
    return process.platform !== 'linux' || !/\) [ZX] /u.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
