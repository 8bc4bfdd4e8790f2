/** A text field with options below it, which the arrow keys and Enter choose. */
import { type InputHTMLAttributes, type KeyboardEvent, type ReactNode, useId, useState } from 'react';

interface ComboboxProps<T> {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly options: readonly T[];
  readonly getKey: (option: T) => string;
  readonly show: (option: T) => ReactNode;
  readonly onChoose: (option: T) => void;
  /** Of the options. */
  readonly label: string;
  /** Whether the options are above what follows. */
  readonly isPopup?: boolean;
  /** Of the text field. */
  readonly input: InputHTMLAttributes<HTMLInputElement>;
}

const POPUP = 'card absolute top-[calc(100%+2px)] left-0 z-3 max-w-104 min-w-full p-1 shadow-float';

export function Combobox<T>({ text, onText, options, getKey, show, onChoose, label, isPopup = false, input }: ComboboxProps<T>) {
  const [active, setActive] = useState(0);
  const id = useId();
  const isOpen = options.length > 0;
  const handleKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    const option = options[active];
    if (isOpen && event.key === 'ArrowDown') setActive(Math.min(active + 1, options.length - 1));
    else if (isOpen && event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'Enter' && option !== undefined) onChoose(option);
    else return input.onKeyDown?.(event);
    event.preventDefault();
  };
  return (
    <div className="relative">
      <input
        {...input}
        role="combobox"
        autoComplete="off"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-activedescendant={isOpen ? `${id}-${String(active)}` : undefined}
        value={text}
        onChange={({ target }) => {
          onText(target.value);
          setActive(0);
        }}
        onKeyDown={handleKey}
      />
      <ul role="listbox" id={id} aria-label={label} hidden={!isOpen} className={isPopup ? POPUP : 'mt-3.5 max-h-88 overflow-y-auto'}>
        {options.map((option, index) => (
          <li
            key={getKey(option)}
            id={`${id}-${String(index)}`}
            role="option"
            className="bar truncate rounded-md px-2 py-1.5 aria-selected:bg-brand-back"
            aria-selected={index === active}
            dir="auto"
            ref={(element) => {
              if (index === active) element?.scrollIntoView({ block: 'nearest' });
            }}
            onMouseMove={() => setActive(index)}
            // Before the field loses the focus.
            onMouseDown={(event) => {
              event.preventDefault();
              onChoose(option);
            }}
          >
            {show(option)}
          </li>
        ))}
      </ul>
    </div>
  );
}
