import type { KeyPress } from '../state/key-bindings.ts';

/** The index after a movement key, possibly outside of the list; null for other keys. */
export function moveTo({ name }: KeyPress, from: number, last: number, height: number): number | null {
  switch (name) {
    case 'j':
    case 'down':
      return from + 1;
    case 'k':
    case 'up':
      return from - 1;
    case 'pagedown':
    case 'ctrl-d':
      return from + Math.max(1, height - 1);
    case 'pageup':
    case 'ctrl-u':
      return from - Math.max(1, height - 1);
    case 'g':
    case 'home':
      return 0;
    case 'G':
    case 'end':
      return last;
    default:
      return null;
  }
}
