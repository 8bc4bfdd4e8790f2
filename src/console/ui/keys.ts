/** Keys of the page, which act neither below a dialog nor, except Ctrl and Escape, while someone types. */
import { type RefObject, useEffect, useRef } from 'react';

/** By key, `mod+k` for Ctrl-K. An action that returns false leaves the key to the browser. */
type Keys = Readonly<Record<string, () => unknown>>;

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const handle = (event: KeyboardEvent): void => {
      const hasModifier = event.ctrlKey || event.metaKey;
      const act = latest.current[hasModifier ? `mod+${event.key.toLowerCase()}` : event.key];
      if (!act || event.altKey || document.querySelector('dialog[open]')) return;
      if (!hasModifier && event.key !== 'Escape' && isTyping(event.target)) return;
      if (act() !== false) event.preventDefault();
    };
    document.addEventListener('keydown', handle);
    return () => document.removeEventListener('keydown', handle);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

interface ListKeys {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  /** Scrolls to a row, which exists only while it is visible. */
  readonly show: (index: number) => void;
}

/** Keys of lists: j and k move between rows, arrows from the row that has the focus. */
export function useListKeys({ body, count, show }: ListKeys): void {
  /** The row that gets the focus with the next frame: keys may come faster. */
  const pending = useRef<number>(undefined);
  const getFocused = (): number | undefined => {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]');
    return row && body.current?.contains(row) ? Number(row.dataset['index']) : undefined;
  };
  const move = (step: number): boolean => {
    if (count === 0) return false;
    const next = Math.max(0, Math.min(count - 1, (pending.current ?? getFocused() ?? -1) + step));
    show(next);
    pending.current = next;
    requestAnimationFrame(() => {
      if (pending.current !== next) return;
      pending.current = undefined;
      body.current?.querySelector<HTMLElement>(`[data-index="${String(next)}"] .row-link`)?.focus();
    });
    return true;
  };
  const moveFocus = (step: number): boolean => getFocused() !== undefined && move(step);
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => moveFocus(1), ArrowUp: () => moveFocus(-1) });
}
