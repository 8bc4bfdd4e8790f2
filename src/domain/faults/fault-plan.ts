/** The planned faults of one run: each is injected once, at a position that is counted in the run. */
import { type Counted, type PlannedFault, TORTURE_FAULTS, type TortureFault } from '../../contract/admin/torture.ts';
import type { FaultRequest, InjectedFault } from './injected-fault.ts';

/** How long requests are limited. */
const LIMITED_MS = 1_000;
const DELAY_MS = 500;
/** Lists that get a record, or lose one. */
const RECORD_LISTS: ReadonlySet<string> = new Set(['/v1/items', '/v1/contacts']);

/** What is done to the service before a request is executed. */
export interface FaultActions {
  expireKey(): Promise<void>;
  /** `path`: of the list that the program reads. */
  addRecord(path: string): Promise<void>;
  removeRecord(path: string): Promise<void>;
  /** Begins a restart, and does not wait for it. */
  restart(): void;
}

const NONE: InjectedFault = { latencyMs: 0, status: null, retryAfter: null, drop: null, body: null, slowBodyMs: 0 };
const LIMITED: InjectedFault = { ...NONE, status: 429, retryAfter: LIMITED_MS / 1_000 };

export class FaultPlan {
  readonly #faults: readonly PlannedFault[];
  readonly #actions: FaultActions;
  readonly counts: Record<Counted, number> = { requests: 0, writes: 0, pages: 0, deliveries: 0 };
  readonly injected: PlannedFault[] = [];
  #limitedUntil = 0;

  constructor(faults: readonly PlannedFault[], actions: FaultActions) {
    this.#faults = faults;
    this.#actions = actions;
  }

  matchRequest({ method, path, query }: FaultRequest): InjectedFault | undefined {
    if (performance.now() < this.#limitedUntil) return LIMITED;
    const isNextPage = Number(query['page'] ?? 1) > 1 || (query['cursor'] ?? '') !== '';
    const planned = [
      ...this.#take('requests'),
      ...(method === 'GET' ? [] : this.#take('writes')),
      ...(method === 'GET' && isNextPage && RECORD_LISTS.has(path) ? this.#take('pages') : []),
    ];
    return planned.map((kind) => this.#toRequestFault(kind, path)).reduce<InjectedFault | undefined>(combine, undefined);
  }

  matchDelivery(): InjectedFault | undefined {
    return this.#take('deliveries').map(toDeliveryFault).reduce<InjectedFault | undefined>(combine, undefined);
  }

  /** Counts one more, and returns the kinds of the faults at this position. */
  #take(counted: Counted): TortureFault[] {
    const at = (this.counts[counted] += 1);
    const planned = this.#faults.filter((fault) => TORTURE_FAULTS[fault.kind] === counted && fault.at === at);
    this.injected.push(...planned);
    return planned.map(({ kind }) => kind);
  }

  #toRequestFault(kind: TortureFault, path: string): InjectedFault {
    const actions = this.#actions;
    if (kind === 'lose-answer') return { ...NONE, drop: 'after' };
    if (kind === 'expire-key') return { ...NONE, before: () => actions.expireKey() };
    if (kind === 'add-record') return { ...NONE, before: () => actions.addRecord(path) };
    if (kind === 'remove-record') return { ...NONE, before: () => actions.removeRecord(path) };
    if (kind === 'restart') {
      actions.restart();
      return { ...NONE, drop: 'before' };
    }
    this.#limitedUntil = performance.now() + LIMITED_MS;
    return LIMITED;
  }
}

function toDeliveryFault(kind: TortureFault): InjectedFault {
  if (kind === 'lose-delivery') return { ...NONE, drop: 'before' };
  if (kind === 'double-delivery') return { ...NONE, drop: 'after' };
  return kind === 'delay-delivery' ? { ...NONE, latencyMs: DELAY_MS } : { ...NONE, waitsForNext: true };
}

/** Both; the first with a status or a drop decides the outcome. */
function combine(first: InjectedFault | undefined, second: InjectedFault): InjectedFault {
  if (!first) return second;
  const decisive = first.status === null && first.drop === null ? second : first;
  const { before: before1, waitsForNext = false } = first;
  const { before: before2 } = second;
  const before = before1 && before2 ? () => before1().then(before2) : (before1 ?? before2);
  return {
    ...decisive,
    latencyMs: first.latencyMs + second.latencyMs,
    waitsForNext: waitsForNext || second.waitsForNext === true,
    ...(before && { before }),
  };
}
