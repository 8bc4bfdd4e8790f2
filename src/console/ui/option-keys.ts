/** The keys of a list of options below a text field. */
import { type KeyboardEvent, useState } from 'react';

interface OptionKeys {
  readonly active: number;
  readonly setActive: (index: number) => void;
  readonly handleKey: (event: KeyboardEvent) => void;
}

/** `choose` is called with the index of the active option. */
export function useOptionKeys(count: number, choose: (index: number) => void): OptionKeys {
  const [active, setActive] = useState(0);
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, count - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'Enter') choose(active);
    else return;
    event.preventDefault();
  };
  return { active, setActive, handleKey };
}
