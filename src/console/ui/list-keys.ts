/** Keys of lists: j and k move between rows, arrows from the row that has the focus. */
import { type RefObject, useRef } from 'react';
import { useKeys } from './keys.ts';

interface ListKeys {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  /** Scrolls to a row, which exists only while it is visible. */
  readonly show: (index: number) => void;
}

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
