/**
 * What the daemon is doing, as it happens: deliveries, events, requests, rate windows. Listeners get messages with ids that count up; who
 * comes back with the last id it saw gets what it missed, or is told that there is a gap and has to read the logs.
 *
 * Each type has a memory of its own, so that many requests do not push out the few deliveries. What nobody listens to is not told
 * at all, which is remembered too: whoever comes back later learns of the gap.
 */
import { FEED_TYPES, type FeedType } from '../contract/admin/feed.ts';
import type { Feed, FeedMessage } from '../http/service.ts';

const KEPT = 2_000;
/** So long after the last listener has left, it is told on: a connection that broke comes back. */
const LINGER_MS = 60_000;

interface Channel {
  kept: { readonly count: number; readonly message: FeedMessage }[];
  readonly listeners: Set<(message: FeedMessage) => void>;
  /** Messages up to this count are no longer known. */
  lostUpTo: number;
  leftAt: number;
  /** Something was not told, because nobody listened. */
  silent: boolean;
}

export function createFeed(instanceId: string, now: () => number = () => performance.now()): Feed {
  const channels = Object.fromEntries(
    FEED_TYPES.map((type): [FeedType, Channel] => [
      type,
      { kept: [], listeners: new Set(), lostUpTo: 0, leftAt: -Infinity, silent: false },
    ]),
  ) as Record<FeedType, Channel>;
  let last = 0;
  const idOf = (count: number) => `${instanceId}.${String(count)}`;
  const countOf = (id: string): number | undefined => {
    const count = Number(id.slice(instanceId.length + 1));
    return Number.isInteger(count) && count <= last && id === idOf(count) ? count : undefined;
  };
  const speakAgain = (channel: Channel): void => {
    last += 1;
    Object.assign(channel, { lostUpTo: last, kept: [], silent: false });
  };
  return {
    wants(type) {
      const channel = channels[type];
      if (channel.listeners.size > 0 || now() - channel.leftAt < LINGER_MS) return true;
      channel.silent = true;
      return false;
    },
    publish(type, tenantId, data) {
      last += 1;
      const channel = channels[type];
      const message: FeedMessage = { id: idOf(last), type, tenantId, data };
      channel.kept.push({ count: last, message });
      if (channel.kept.length > 2 * KEPT) channel.lostUpTo = channel.kept.splice(0, channel.kept.length - KEPT).at(-1)?.count ?? 0;
      for (const listener of channel.listeners) listener(message);
    },
    follow(lastId, listener, types = FEED_TYPES) {
      // A gap concerns whoever listens.
      const chosen = [...new Set([...types, 'gap' as const])].map((type) => channels[type]);
      for (const channel of chosen) if (channel.silent) speakAgain(channel);
      if (lastId !== undefined) {
        const seen = countOf(lastId);
        if (seen === undefined || chosen.some(({ lostUpTo }) => lostUpTo > seen)) {
          listener({ id: idOf(last), type: 'gap', tenantId: null, data: {} });
        } else {
          const missed = chosen.flatMap(({ kept }) => kept.filter(({ count }) => count > seen));
          for (const { message } of missed.sort((a, b) => a.count - b.count)) listener(message);
        }
      }
      for (const { listeners } of chosen) listeners.add(listener);
      return () => {
        for (const channel of chosen) if (channel.listeners.delete(listener)) channel.leftAt = now();
      };
    },
  };
}
