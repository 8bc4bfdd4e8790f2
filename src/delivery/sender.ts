/** Sends deliveries over HTTP. Does not follow redirects. W-3, W-4. */
import type { Agent } from 'undici';
import type { AttemptOutcome } from '../domain/events/delivery-state.ts';
import type { TargetPolicy } from '../domain/webhooks/target-policy.ts';
import { Attempt, type DeliveryRequest } from './attempt.ts';
import { toDeliveryError } from './delivery-errors.ts';
import { type Resolve, createGuardedConnector } from './target-guard.ts';

export interface Sender {
  /** Never rejects. Undefined when the sender was closed during the request: whether the receiver processed it is unknown. */
  send(request: DeliveryRequest): Promise<AttemptOutcome | undefined>;
  /** Aborts the requests in progress. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 4_000;

export interface SenderOptions {
  readonly targets: TargetPolicy;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve;
}

export function createSender({ targets, resolve }: SenderOptions): Sender {
  let agent: Agent | undefined;
  /** On first use, because loading undici takes longer than the rest of the delivery code. */
  const getAgent = async (): Promise<Agent> => {
    const undici = await import('undici');
    return (agent ??= new undici.Agent({
      connect: createGuardedConnector(undici.buildConnector, targets, resolve),
      // One request per connection and no limit on connections: undici's limit is per host, and endpoints of one host must not block each
      // other.
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The sender has its own timer for the whole attempt; undici's timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
    }));
  };
  const attempts = new ActiveAttempts();
  const getTarget = createTargetCache();
  let isClosed = false;
  return {
    send: (request) =>
      new Promise((resolveOutcome) => {
        if (isClosed) {
          resolveOutcome(undefined);
          return;
        }
        const attempt = new Attempt(request, (outcome) => {
          attempts.remove(attempt);
          resolveOutcome(isClosed && outcome.httpStatus === null ? undefined : outcome);
        });
        attempts.add(attempt);
        const dispatch = (dispatcher: Agent): void => {
          // While undici was loading, the sender was closed or the attempt timed out.
          if (attempt.isSettled) return;
          const { url, headers, body } = request;
          try {
            dispatcher.dispatch({ ...getTarget(url), method: 'POST', headers, body }, attempt);
          } catch (error) {
            attempt.fail(toDeliveryError(error));
          }
        };
        if (agent) dispatch(agent);
        else getAgent().then(dispatch, (error: unknown) => attempt.fail(toDeliveryError(error)));
      }),
    async close() {
      isClosed = true;
      attempts.abortAll();
      await agent?.destroy();
    },
  };
}

/**
 * The attempts in progress. Not a Set: a Set that changes constantly replaces its hash table again and again, and each old table refers
 * to the next one. Once one of them is in the old generation, the garbage collector keeps all that follow, with every attempt in them,
 * until a full collection.
 */
class ActiveAttempts {
  readonly #attempts: Attempt[] = [];

  add(attempt: Attempt): void {
    attempt.index = this.#attempts.length;
    this.#attempts.push(attempt);
  }

  /** Moves the last attempt to its place. */
  remove(attempt: Attempt): void {
    const last = this.#attempts.pop();
    if (last === undefined || last === attempt) return;
    last.index = attempt.index;
    this.#attempts[attempt.index] = last;
  }

  abortAll(): void {
    // A copy, because each attempt removes itself.
    for (const attempt of this.#attempts.slice()) attempt.abort();
  }
}

const MAX_CACHED_TARGETS = 1_000;

/** Parses each URL only once. */
function createTargetCache(): (url: string) => { origin: string; path: string } {
  const targets = new Map<string, { origin: string; path: string }>();
  return (url) => {
    let target = targets.get(url);
    if (!target) {
      const { origin, pathname, search } = new URL(url);
      target = { origin, path: pathname + search };
      if (targets.size >= MAX_CACHED_TARGETS) targets.clear();
      targets.set(url, target);
    }
    return target;
  };
}
