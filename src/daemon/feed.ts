/**
 * What the daemon is doing, as it happens: deliveries, events, commits, requests. Listeners get messages with ids that count up; who
 * comes back with the last id it saw gets what it missed, or is told that there is a gap and has to read the logs.
 */
import type { Feed, FeedMessage } from '../http/service.ts';

const KEPT = 2_000;

export function createFeed(instanceId: string): Feed {
  const kept: FeedMessage[] = [];
  const listeners = new Set<(message: FeedMessage) => void>();
  let last = 0;
  const idOf = (count: number) => `${instanceId}.${String(count)}`;
  return {
    get watched() {
      return listeners.size > 0;
    },
    publish(type, tenantId, data) {
      last += 1;
      const message: FeedMessage = { id: idOf(last), type, tenantId, data };
      kept.push(message);
      if (kept.length > 2 * KEPT) kept.splice(0, kept.length - KEPT);
      for (const listener of listeners) listener(message);
    },
    follow(lastId, listener) {
      if (lastId !== undefined) {
        const seen = lastId === idOf(last) ? kept.length - 1 : kept.findIndex(({ id }) => id === lastId);
        if (seen === -1 && lastId !== idOf(0)) listener({ id: idOf(last), type: 'gap', tenantId: null, data: {} });
        else for (const message of kept.slice(seen + 1)) listener(message);
      }
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
