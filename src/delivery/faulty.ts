/** Deliveries that go wrong on purpose: a sender that looks at the faults first. The receiver hears of them only what a real one would. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Outcome } from '../domain/deliveries.ts';
import type { Faults, Mishap } from '../domain/faults.ts';
import { type Post, type Sender, errorOfStatus } from './send.ts';

/** A status is the receiver's answer without asking it; a connection dropped `after` loses the answer of a receiver that has taken the delivery. */
export function withFaults(sender: Sender, faults: Faults): Sender {
  const ended = new AbortController();

  async function goWrong(post: Post, { latencyMs, status, retryAfter, drop }: Mishap): Promise<Outcome | undefined> {
    const began = performance.now();
    const outcome = (facts: Pick<Outcome, 'httpStatus' | 'error' | 'retryAfterSeconds'>): Outcome => ({
      startedAt: post.startedAt,
      milliseconds: Math.round(performance.now() - began),
      ...facts,
    });
    // An attempt takes no longer than it may, whatever makes it slow.
    const waited = await wait(Math.min(latencyMs, post.timeoutMs), true, { signal: ended.signal }).catch(() => false);
    if (!waited) return undefined;
    if (latencyMs >= post.timeoutMs) return outcome({ httpStatus: null, error: 'timeout', retryAfterSeconds: null });
    if (status !== null) return outcome({ httpStatus: status, error: errorOfStatus(status), retryAfterSeconds: retryAfter });
    const lost = outcome({ httpStatus: null, error: 'connection_reset', retryAfterSeconds: null });
    if (drop === 'before') return lost;
    const real = await sender.send({ ...post, timeoutMs: post.timeoutMs - latencyMs });
    if (drop === 'after' && real) return { ...real, httpStatus: null, error: 'connection_reset', retryAfterSeconds: null };
    return real && { ...real, milliseconds: Math.round(performance.now() - began) };
  }

  return {
    send(post) {
      const mishap = faults.any ? faults.forPost(post.url) : undefined;
      return mishap ? goWrong(post, mishap) : sender.send(post);
    },
    close() {
      ended.abort();
      return sender.close();
    },
  };
}
