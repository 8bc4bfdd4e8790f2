/**
 * The activity feed of the daemon: deliveries, events, audit rows, requests and rate windows, as they happen. Messages have increasing
 * ids. A subscriber that reconnects with the last id it has seen gets what it missed, or a message of type `gap` when that is no longer
 * available.
 *
 * Each type has its own buffer, so that many requests do not evict the few deliveries. Requests and rate windows are always published, for
 * dashboards that are opened later: a new subscriber gets the latest window of each key. Other types without subscribers are not published at all; a subscriber that comes back after such a pause gets a gap.
 */
import { FEED_TYPES, type FeedData, type FeedType } from '../../contract/admin/feed.ts';
import type { Feed, FeedMessage } from '../../http/feed.ts';

/** A buffer is cut to this size when it has reached twice as many messages. */
const BUFFER_SIZE = 2_000;
/** Publishing continues for this long after the last subscriber has left, because a broken connection usually reconnects. */
const LINGER_MS = 60_000;

const ALWAYS_PUBLISHED: ReadonlySet<FeedType> = new Set(['request', 'limit']);

interface Channel {
  buffer: { readonly sequence: number; readonly message: FeedMessage }[];
  readonly listeners: Set<(message: FeedMessage) => void>;
  /** Messages up to this sequence number are no longer available. */
  lostUpTo: number;
  /** When the last subscriber left. */
  leftAt: number;
  /** Whether something was not published because there was no subscriber. */
  hasSkipped: boolean;
}

export function createFeed(instanceId: string, now: () => number = () => performance.now()): Feed {
  const channels = Object.fromEntries(
    FEED_TYPES.map((type): [FeedType, Channel] => [
      type,
      { buffer: [], listeners: new Set(), lostUpTo: 0, leftAt: -Infinity, hasSkipped: false },
    ]),
  ) as Record<FeedType, Channel>;
  let lastSequence = 0;
  const toId = (sequence: number) => `${instanceId}.${String(sequence)}`;
  const parseId = (id: string): number | undefined => {
    const sequence = Number(id.slice(instanceId.length + 1));
    return Number.isInteger(sequence) && sequence <= lastSequence && id === toId(sequence) ? sequence : undefined;
  };
  const resumePublishing = (channel: Channel): void => {
    lastSequence += 1;
    Object.assign(channel, { lostUpTo: lastSequence, buffer: [], hasSkipped: false });
  };
  return {
    hasSubscribers(type) {
      if (ALWAYS_PUBLISHED.has(type)) return true;
      const channel = channels[type];
      if (channel.listeners.size > 0 || now() - channel.leftAt < LINGER_MS) return true;
      channel.hasSkipped = true;
      return false;
    },
    publish(type, tenantId, data) {
      lastSequence += 1;
      const channel = channels[type];
      const { buffer } = channel;
      const message: FeedMessage = { id: toId(lastSequence), type, tenantId, data };
      buffer.push({ sequence: lastSequence, message });
      if (buffer.length > 2 * BUFFER_SIZE) channel.lostUpTo = buffer.splice(0, buffer.length - BUFFER_SIZE).at(-1)?.sequence ?? 0;
      for (const listener of channel.listeners) listener(message);
    },
    listRecent(type, tenantId, limit) {
      const messages = channels[type].buffer.map(({ message }) => message);
      const visible = messages.filter((message) => message.tenantId === null || message.tenantId === tenantId);
      return visible.slice(-limit).map(({ id, data }) => ({ ...(data as FeedData[typeof type]), id }));
    },
    subscribe(lastId, listener, types = FEED_TYPES) {
      // Gaps are for every subscriber.
      const selected = [...new Set([...types, 'gap' as const])].map((type) => channels[type]);
      for (const channel of selected) if (channel.hasSkipped) resumePublishing(channel);
      if (lastId !== undefined) {
        const seen = parseId(lastId);
        if (seen === undefined || selected.some(({ lostUpTo }) => lostUpTo > seen)) {
          listener({ id: toId(lastSequence), type: 'gap', tenantId: null, data: {} });
        } else {
          const missed = selected.flatMap(({ buffer }) => buffer.filter(({ sequence }) => sequence > seen));
          for (const { message } of missed.sort((a, b) => a.sequence - b.sequence)) listener(message);
        }
      } else if (types.includes('limit')) for (const message of listLatestWindows(channels.limit)) listener(message);
      for (const { listeners } of selected) listeners.add(listener);
      return () => {
        for (const channel of selected) if (channel.listeners.delete(listener)) channel.leftAt = now();
      };
    },
  };
}

/** The last message of each key. Its window may have ended since. */
const listLatestWindows = ({ buffer }: Channel): Iterable<FeedMessage> =>
  new Map(buffer.map(({ message }) => [(message.data as FeedData['limit']).keyId, message])).values();
