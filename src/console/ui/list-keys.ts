/** Keys of every list: j and k move between its rows, / goes to the search. */
import { type RefObject, useEffect, useRef } from 'react';

interface ListKeys {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  /** Scrolls to a row, which exists only while it is visible. */
  readonly show: (index: number) => void;
}

export function useListKeys({ body, count, show }: ListKeys): void {
  const latest = useRef({ count, show });
  latest.current = { count, show };
  /** The row that gets the focus with the next frame: keys may come faster. */
  const pending = useRef<number>(undefined);
  useEffect(() => {
    const handle = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const step = event.key === 'j' || event.key === 'ArrowDown' ? 1 : event.key === 'k' || event.key === 'ArrowUp' ? -1 : 0;
      if (step === 0 || latest.current.count === 0) return;
      const current = document.activeElement?.closest<HTMLElement>('[data-index]');
      if (event.key.startsWith('Arrow') && !current) return;
      event.preventDefault();
      const focused = current && body.current?.contains(current) ? Number(current.dataset['index']) : -1;
      const from = pending.current ?? focused;
      const next = Math.max(0, Math.min(latest.current.count - 1, from + step));
      latest.current.show(next);
      pending.current = next;
      requestAnimationFrame(() => {
        if (pending.current !== next) return;
        pending.current = undefined;
        body.current?.querySelector<HTMLElement>(`[data-index="${String(next)}"] .row-link`)?.focus();
      });
    };
    document.addEventListener('keydown', handle);
    return () => document.removeEventListener('keydown', handle);
  }, [body]);
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
