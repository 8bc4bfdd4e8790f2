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
  readonly className: string;
  /** Of the text field. */
  readonly input: InputHTMLAttributes<HTMLInputElement>;
}

export function Combobox<T>({ text, onText, options, getKey, show, onChoose, label, className, input }: ComboboxProps<T>) {
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
    <div className={className}>
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
      <ul role="listbox" id={id} aria-label={label} hidden={!isOpen}>
        {options.map((option, index) => (
          <li
            key={getKey(option)}
            id={`${id}-${String(index)}`}
            role="option"
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
