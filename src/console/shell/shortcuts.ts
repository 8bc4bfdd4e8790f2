/** Keys of every view: Ctrl-K, ? and /. Those of lists are in `ui/list-keys`. */
import { useEffect, useRef } from 'react';
import { isTyping } from '../ui/list-keys.ts';

interface Shortcuts {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const handle = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog[open]')) return;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        latest.current.openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') latest.current.openHelp();
      else if (event.key === '/') document.querySelector<HTMLElement>('main input[type=search]')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', handle);
    return () => document.removeEventListener('keydown', handle);
  }, []);
}
