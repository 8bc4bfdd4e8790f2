/**
 * Faults that are set on purpose: which requests and deliveries they hit. Kept in memory, so that a restart ends them.
 *
 * A fault is met by what fits its target; of those it hits the share `rate`, until its hits or its time are used up. Several
 * faults may hit one request: their waits add up, and the first that answers or breaks the connection decides the rest.
 */
import type { Fault, FaultDrop } from '../contract/admin/faults.ts';
import { FAULTS_MAX } from '../contract/limits.ts';
import type { Operation } from '../contract/operation.ts';
import { StockroomError, invalidField } from './errors.ts';

/** What happens to one request or delivery. */
export interface Mishap {
  readonly latencyMs: number;
  readonly status: number | null;
  readonly retryAfter: number | null;
  readonly drop: FaultDrop | null;
}

export type FaultDraft = Pick<Fault, 'status' | 'latencyMs' | 'retryAfter' | 'drop' | 'rate' | 'remaining' | 'expiresAt'>;

export interface Faults {
  /** Whether there are any: what asks nothing more costs a request nothing. */
  readonly any: boolean;
  list(): readonly Fault[];
  set(target: string, draft: FaultDraft): Fault;
  /** Ends the fault of a target, or all; 404 when that target has none. */
  clear(target?: string): readonly Fault[];
  /** What happens to a request, undefined: nothing. */
  forRequest(method: string, path: string): Mishap | undefined;
  /** What happens to a delivery to this URL. */
  forPost(url: string): Mishap | undefined;
}

export interface FaultOptions {
  readonly now: () => Date;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** What may be named: `POST /v1/items/{item_id}`. */
  readonly operations: readonly Pick<Operation, 'method' | 'path'>[];
  /** Told whenever a fault was set or ended, also by itself. */
  readonly onChange: () => void;
}

interface Kept {
  fault: Fault;
  readonly fits: Fits;
}
type Fits = { readonly kind: 'request'; readonly method: string; readonly path: RegExp } | { readonly kind: 'post'; readonly url: string };

export function createFaults({ now, random, operations, onChange }: FaultOptions): Faults {
  const kept = new Map<string, Kept>();

  /** Drops what has ended by its time. */
  function tidy(): void {
    const at = now().toISOString();
    for (const [key, { fault }] of kept) if (fault.expiresAt !== null && fault.expiresAt <= at) end(key);
  }
  function end(key: string): void {
    kept.delete(key);
    onChange();
  }
  function meet(fits: (target: Fits) => boolean): Mishap | undefined {
    let mishap: Mishap | undefined;
    tidy();
    for (const [key, each] of kept) {
      if (!fits(each.fits)) continue;
      const { fault } = each;
      const isHit = random() < fault.rate;
      const remaining = fault.remaining === null || !isHit ? fault.remaining : fault.remaining - 1;
      each.fault = { ...fault, met: fault.met + 1, hits: fault.hits + (isHit ? 1 : 0), remaining };
      if (!isHit) continue;
      if (remaining === 0) end(key);
      const latencyMs = (mishap?.latencyMs ?? 0) + fault.latencyMs;
      const isDecided = mishap !== undefined && (mishap.status !== null || mishap.drop !== null);
      const { status, retryAfter, drop } = isDecided && mishap ? mishap : fault;
      mishap = { latencyMs, status, retryAfter, drop };
    }
    return mishap;
  }

  return {
    get any() {
      return kept.size > 0;
    },
    list() {
      tidy();
      return [...kept.values()].map(({ fault }) => fault);
    },
    set(written, draft) {
      const { target, fits } = parseTarget(written, operations);
      if (draft.status === null && draft.drop === null && draft.latencyMs === 0)
        throw invalidField('/status', 'say what should go wrong: a status, a latency or a drop', 'required');
      if (draft.status !== null && draft.drop !== null)
        throw invalidField('/drop', 'a connection that breaks has no status: leave one of them out', 'not_allowed');
      if (draft.retryAfter !== null && draft.status === null)
        throw invalidField('/retryAfter', 'retryAfter goes with a status', 'not_allowed');
      if (!kept.has(target) && kept.size >= FAULTS_MAX)
        throw new StockroomError('LIMIT_REACHED', `There are ${String(FAULTS_MAX)} faults already; clear some first.`, {
          details: { limit: FAULTS_MAX },
        });
      const fault: Fault = { target, ...draft, setAt: now().toISOString(), met: 0, hits: 0 };
      kept.set(target, { fault, fits });
      onChange();
      return fault;
    },
    clear(written) {
      tidy();
      const target = written === undefined ? undefined : parseTarget(written, operations).target;
      const ended = target === undefined ? [...kept.values()] : [kept.get(target)].filter((each) => each !== undefined);
      if (target !== undefined && ended.length === 0) {
        const known = kept.size === 0 ? 'there are none' : `there are ${[...kept.keys()].map((each) => `'${each}'`).join(', ')}`;
        throw new StockroomError('NOT_FOUND', `There is no fault for '${target}'; ${known}.`);
      }
      for (const { fault } of ended) kept.delete(fault.target);
      if (ended.length > 0) onChange();
      return ended.map(({ fault }) => fault);
    },
    forRequest: (method, path) =>
      meet((each) => each.kind === 'request' && (each.method === '*' || each.method === method) && each.path.test(path)),
    forPost: (url) => meet((each) => each.kind === 'post' && url.startsWith(each.url)),
  };
}

const METHOD_AND_PATH = /^(\*|[A-Za-z]+)\s+(\/\S*)$/u;

/** The target as it is kept, and what fits it; 400 when it can fit nothing. */
function parseTarget(written: string, operations: FaultOptions['operations']): { target: string; fits: Fits } {
  const text = written.trim();
  if (/^https?:\/\//iu.test(text)) {
    if (!URL.canParse(text)) throw invalidField('/target', `'${text}' is not a URL`, 'bad_format');
    // As the stored targets are spelt; a bare origin stands for everything on it.
    const url = new URL(text).href;
    return { target: url, fits: { kind: 'post', url } };
  }
  const [, methodText = '', path = ''] = METHOD_AND_PATH.exec(text) ?? [];
  if (path === '')
    throw invalidField('/target', "target must be a method and a path such as 'POST /v1/items', or the URL of a webhook", 'bad_format');
  const method = methodText.toUpperCase();
  const fits = { kind: 'request', method, path: patternOf(path) } as const;
  const isMet = (op: FaultOptions['operations'][number]) =>
    (method === '*' || method === op.method) && (fits.path.test(op.path) || patternOf(op.path).test(path));
  if (!operations.some(isMet)) {
    const others = operations.filter((op) => fits.path.test(op.path) || patternOf(op.path).test(path)).map((op) => op.method);
    const hint = others.length > 0 ? `that path takes ${[...new Set(others)].join(', ')}` : "'stockroom capabilities' lists the paths";
    throw invalidField('/target', `no operation is ${method} ${path}; ${hint}`, 'not_allowed');
  }
  return { target: `${method} ${path}`, fits };
}

/** `{name}` and `*` stand for one part of a path, a `*` at its end for all the rest. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part, at, all) => {
    if (part === '*' && at === all.length - 1) return '.*';
    return part === '*' || /^\{\w+\}$/u.test(part) ? '[^/]+' : part.replaceAll(/[.+?^$()[\]|\\{}*]/gu, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join('/')}$`, 'u');
}
