/** The change log since a time: reads on from where it is, and waits there for the next event. */
import { useEffect, useState } from 'react';
import { type ChangeEventEntry, listEvents } from '../../contract/resources/events.ts';
import { call } from '../api/client.ts';

const PAGE = 200;
const WAIT_S = 25;
const RETRY_MS = 2_000;
/** The newest ones. */
const KEPT = 10_000;

interface EventLog {
  /** Oldest first; undefined until the first page was read. */
  readonly entries: readonly ChangeEventEntry[] | undefined;
  readonly error: unknown;
}

export function useEventLog(since: string | undefined): EventLog {
  const [log, setLog] = useState<EventLog>({ entries: undefined, error: null });
  useEffect(() => {
    const controller = new AbortController();
    setLog({ entries: undefined, error: null });
    void follow(since, controller.signal, setLog);
    return () => controller.abort();
  }, [since]);
  return log;
}

async function follow(
  since: string | undefined,
  signal: AbortSignal,
  setLog: (change: (log: EventLog) => EventLog) => void,
): Promise<void> {
  let cursor: string | undefined;
  while (!signal.aborted) {
    try {
      const position = cursor === undefined ? { ...(since !== undefined && { since }) } : { cursor, wait: WAIT_S };
      const { data, pagination } = await call(listEvents, { query: { ...position, limit: PAGE } }, { signal });
      cursor = pagination.nextCursor;
      if (data.length > 0 || !pagination.hasMore)
        setLog(({ entries = [] }) => ({ entries: data.length === 0 ? entries : [...entries, ...data].slice(-KEPT), error: null }));
    } catch (error) {
      if (signal.aborted) return;
      setLog(({ entries }) => ({ entries, error }));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
