/**
 * Injected faults: which requests and deliveries fail. They are in memory only, so a restart clears them.
 *
 * A fault triggers on the fraction `rate` of the requests or deliveries that match its target, until its count or its time is used up.
 * Several faults may trigger on one request: their latencies add up, and the first with a status or a drop decides the outcome.
 */
import type { Fault } from '../../contract/admin/faults.ts';
import { FAULTS_MAX } from '../../contract/limits.ts';
import type { Operation } from '../../contract/operation.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { FaultRequest, InjectedFault } from './injected-fault.ts';

export type FaultDraft = Pick<Fault, 'status' | 'latencyMs' | 'retryAfter' | 'drop' | 'rate' | 'remaining' | 'expiresAt'> &
  Partial<Pick<Fault, 'body' | 'slowBodyMs' | 'after'>>;

export interface FaultRegistry {
  /** Lets requests skip the matching while no fault is set. */
  hasFaults(): boolean;
  /** Whether faults come at planned positions. Then nothing else may differ from run to run: deliveries of an endpoint come in order. */
  hasPlan(): boolean;
  list(): readonly Fault[];
  set(target: string, draft: FaultDraft): Fault;
  /** Removes the fault of a target, or all faults, and returns them. Throws 404 if the target has none. */
  clear(target?: string): readonly Fault[];
  /** The fault to inject into a request; undefined for none. */
  matchRequest(method: string, path: string, query?: FaultRequest['query']): InjectedFault | undefined;
  /** The fault to inject into a delivery to this URL; undefined for none. */
  matchDelivery(url: string): InjectedFault | undefined;
}

export interface FaultOptions {
  readonly now: () => Date;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** The operations that a target may name. */
  readonly operations: readonly Pick<Operation, 'method' | 'path'>[];
  /** Called after a fault was set, removed or used up. */
  readonly onChange: () => void;
  /** Planned faults, which come first. */
  readonly getPlan?: (() => FaultPlan | undefined) | undefined;
}

interface FaultEntry {
  fault: Fault;
  readonly target: FaultTarget;
}
type FaultTarget =
  | { readonly kind: 'request'; readonly method: string; readonly path: RegExp }
  | { readonly kind: 'delivery'; readonly url: string };

export function createFaultRegistry({ now, random, operations, onChange, getPlan = () => undefined }: FaultOptions): FaultRegistry {
  const entries = new Map<string, FaultEntry>();

  function removeExpired(): void {
    const at = now().toISOString();
    for (const [key, { fault }] of entries) if (fault.expiresAt !== null && fault.expiresAt <= at) removeEntry(key);
  }
  function removeEntry(key: string): void {
    entries.delete(key);
    onChange();
  }
  function trigger(matches: (target: FaultTarget) => boolean): InjectedFault | undefined {
    let injected: InjectedFault | undefined;
    removeExpired();
    for (const [key, entry] of entries) {
      if (!matches(entry.target)) continue;
      const { fault } = entry;
      const isHit = fault.met >= fault.after && random() < fault.rate;
      const remaining = fault.remaining === null || !isHit ? fault.remaining : fault.remaining - 1;
      entry.fault = { ...fault, met: fault.met + 1, hits: fault.hits + (isHit ? 1 : 0), remaining };
      if (!isHit) continue;
      if (remaining === 0) removeEntry(key);
      injected = combine(injected, fault);
    }
    return injected;
  }

  return {
    hasPlan: () => getPlan() !== undefined,
    hasFaults: () => getPlan() !== undefined || entries.size > 0,
    list() {
      removeExpired();
      return [...entries.values()].map(({ fault }) => fault);
    },
    set(text, draft) {
      const { key, target } = parseTarget(text, operations);
      checkDraft(draft, target);
      if (!entries.has(key) && entries.size >= FAULTS_MAX)
        throw new StockroomError('LIMIT_REACHED', `There are already ${String(FAULTS_MAX)} faults, the maximum. Clear some first.`, {
          details: { limit: FAULTS_MAX },
        });
      const fault: Fault = { target: key, body: null, slowBodyMs: 0, after: 0, ...draft, setAt: now().toISOString(), met: 0, hits: 0 };
      entries.set(key, { fault, target });
      onChange();
      return fault;
    },
    clear(text) {
      removeExpired();
      const key = text === undefined ? undefined : parseTarget(text, operations).key;
      const cleared = key === undefined ? [...entries.values()] : [entries.get(key)].filter((entry) => entry !== undefined);
      if (key !== undefined && cleared.length === 0) throw createNoFaultError(key, [...entries.keys()]);
      for (const { fault } of cleared) entries.delete(fault.target);
      if (cleared.length > 0) onChange();
      return cleared.map(({ fault }) => fault);
    },
    matchRequest: (method, path, query = {}) =>
      getPlan()?.matchRequest({ method, path, query }) ??
      trigger((target) => target.kind === 'request' && (target.method === '*' || target.method === method) && target.path.test(path)),
    matchDelivery: (url) => getPlan()?.matchDelivery() ?? trigger((target) => target.kind === 'delivery' && url.startsWith(target.url)),
  };
}

/** The latencies add up; the first fault with a status or a drop decides the outcome. */
function combine(injected: InjectedFault | undefined, fault: Fault): InjectedFault {
  const latencyMs = (injected?.latencyMs ?? 0) + fault.latencyMs;
  const slowBodyMs = (injected?.slowBodyMs ?? 0) + fault.slowBodyMs;
  const isDecided = injected !== undefined && (injected.status !== null || injected.drop !== null);
  const { status, retryAfter, drop, body } = isDecided ? injected : fault;
  return { latencyMs, slowBodyMs, status, retryAfter, drop, body };
}

function checkDraft({ status, drop, latencyMs, slowBodyMs = 0, retryAfter, body = null }: FaultDraft, { kind }: FaultTarget): void {
  if (status === null && drop === null && latencyMs === 0 && slowBodyMs === 0)
    throw invalidField('/status', 'set a status, a latency or a drop', 'required');
  if (status !== null && drop !== null) throw invalidField('/drop', 'drop and status exclude each other', 'not_allowed');
  if (body !== null && status === null) throw invalidField('/body', 'body requires a status', 'not_allowed');
  if (kind === 'request' && status !== null && status < 400 && body === null)
    throw invalidField('/body', 'a status below 400 requires a body');
  if (retryAfter !== null && status === null) throw invalidField('/retryAfter', 'retryAfter requires a status', 'not_allowed');
}

function createNoFaultError(target: string, targets: readonly string[]): StockroomError {
  const known = targets.length === 0 ? 'No faults are set' : `Faults are set for: ${targets.map((each) => `'${each}'`).join(', ')}`;
  return new StockroomError('NOT_FOUND', `No fault for '${target}'. ${known}.`);
}

const METHOD_AND_PATH = /^(\*|[A-Za-z]+)\s+(\/\S*)$/u;

/** A target and its normalized text. Throws 400 for a target that matches no operation and no delivery. */
function parseTarget(input: string, operations: FaultOptions['operations']): { key: string; target: FaultTarget } {
  const text = input.trim();
  const [, anyUrl] = /^(https?:\/\/)\*$/iu.exec(text) ?? [];
  if (anyUrl !== undefined) return { key: text, target: { kind: 'delivery', url: anyUrl.toLowerCase() } };
  if (/^https?:\/\//iu.test(text)) {
    if (!URL.canParse(text)) throw invalidField('/target', `invalid URL '${text}'`, 'bad_format');
    // Normalized like the stored target URLs; an origin matches every URL on it.
    const url = new URL(text).href;
    return { key: url, target: { kind: 'delivery', url } };
  }
  const [, methodText = '', path = ''] = METHOD_AND_PATH.exec(text) ?? [];
  if (path === '')
    throw invalidField('/target', "target must be a method and a path such as 'POST /v1/items', or the URL of a webhook", 'bad_format');
  const method = methodText.toUpperCase();
  const target = { kind: 'request', method, path: toPathPattern(path) } as const;
  const onPath = operations.filter((operation) => target.path.test(operation.path) || toPathPattern(operation.path).test(path));
  if (!onPath.some((operation) => method === '*' || method === operation.method)) {
    const methods = [...new Set(onPath.map((operation) => operation.method))].join(', ');
    const others = onPath.length > 0 ? `; methods of this path: ${methods}` : '';
    throw invalidField('/target', `no operation matches ${method} ${path}${others}`, 'not_allowed');
  }
  return { key: `${method} ${path}`, target };
}

/** `{name}` and `*` match one segment of a path; a final `*` matches the rest. */
function toPathPattern(path: string): RegExp {
  const segments = path.split('/').map((segment, at, all) => {
    if (segment === '*' && at === all.length - 1) return '.*';
    return segment === '*' || /^\{\w+\}$/u.test(segment) ? '[^/]+' : segment.replaceAll(/[.+?^$()[\]|\\{}*]/gu, String.raw`\$&`);
  });
  return new RegExp(`^${segments.join('/')}$`, 'u');
}
