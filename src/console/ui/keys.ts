/** Keys of the page, which act neither below a dialog nor, except Ctrl and Escape, while someone types. */
import { useEffect, useRef } from 'react';

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
